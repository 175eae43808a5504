/** OsmAnd's online tracking: m/s, and metres of accuracy that its own template calls `hdop`. */
import { NOTHING_READ, pointOf, type Reading, readingOf } from './reading'
import { type AppRequest, asOne, first } from './request'
import { KMH_OF_MS, speedOf } from './values'

export function readOsmand(request: AppRequest): Reading {
  if (request.fields.size === 0 && request.json === undefined) return NOTHING_READ
  const fields = asOne(request)
  const point = pointOf(
    {
      lat: fields.lat,
      lng: first(fields, ['lon', 'lng']),
      time: first(fields, ['timestamp', 'time']),
      accuracy: first(fields, ['accuracy', 'hdop']),
      speed: speedOf(fields.speed, KMH_OF_MS),
      altitude: first(fields, ['altitude', 'alt']),
      heading: first(fields, ['bearing', 'heading']),
    },
    'untimed',
  )
  return readingOf([typeof point === 'string' ? point : { point }])
}
