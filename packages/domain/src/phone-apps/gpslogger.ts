/** GPSLogger: whatever the template of its custom URL names; ours, and the names of its manual. */
import { field, type Item, NOTHING_READ, pointOf, type Reading, readingOf, UNREADABLE } from './reading'
import { type AppRequest, asOne, first, isJson, type Json } from './request'
import { batteryUnlessZero, chargingOf, KMH_OF_MS, speedOf } from './values'

export function readGpslogger(request: AppRequest): Reading {
  const { fields, json } = request
  if (json !== undefined && !isJson(json)) return UNREADABLE
  return fields.size === 0 && json === undefined ? NOTHING_READ : readingOf([fixIn(asOne(request))])
}

function fixIn(fields: Json): Item {
  const metresPerSecond = first(fields, ['spd', 'speed'])
  const speed =
    metresPerSecond === undefined
      ? speedOf(first(fields, ['spd_kph', 'speed_kph']), 1)
      : speedOf(metresPerSecond, KMH_OF_MS)
  const point = pointOf(
    {
      lat: first(fields, ['lat', 'latitude']),
      lng: first(fields, ['lon', 'lng', 'longitude']),
      time: first(fields, ['time', 'timestamp', 'timeoff', 'timeoffset', 'date']),
      accuracy: first(fields, ['acc', 'accuracy']),
      speed,
      altitude: first(fields, ['alt', 'altitude', 'ele']),
      heading: first(fields, ['dir', 'direction', 'bearing', 'heading']),
    },
    'untimed',
  )
  if (typeof point === 'string') return point
  return {
    point,
    ...field('battery', batteryUnlessZero(first(fields, ['batt', 'battery', 'bat']))),
    ...field('charging', chargingOf(first(fields, ['ischarging', 'charging']))),
  }
}
