/** µlogger: it logs in, opens a track, and sends a position a POST; its speed is m/s. */
import { field, NO_POINT, NOTHING_READ, pointOf, type Reading, readingOf } from './reading'
import { type AppRequest, asOne } from './request'
import { batteryOf, KMH_OF_MS, speedOf } from './values'

/** What it asks for: `auth`, `addtrack`, `addpos`. */
export const actionOf = (request: AppRequest): string => String(asOne(request).action ?? '')

export function readUlogger(request: AppRequest): Reading {
  const fields = asOne(request)
  const action = actionOf(request)
  if (action === 'auth' || action === 'addtrack') return NOTHING_READ
  if (action !== 'addpos') return NO_POINT
  const point = pointOf({
    lat: fields.lat,
    lng: fields.lon,
    time: fields.time,
    accuracy: fields.accuracy,
    speed: speedOf(fields.speed, KMH_OF_MS),
    altitude: fields.altitude,
    heading: fields.bearing,
  })
  if (typeof point === 'string') return readingOf([point])
  // Its later versions send the battery.
  return readingOf([{ point, ...field('battery', batteryOf(fields.battery, 'percent')) }])
}
