/** PhoneTrack for Android: a form a point, or up to 200 points as lists in JSON; its speed is m/s. */
import { field, type Item, NOTHING_READ, pointOf, type Reading, readingOf } from './reading'
import { type AppRequest, asJson, first, isJson, type Json } from './request'
import { batteryOf, KMH_OF_MS, speedOf } from './values'

export function readPhonetrack({ fields, json }: AppRequest): Reading {
  if (json === undefined) return fields.size === 0 ? NOTHING_READ : readingOf([formIn(asJson(fields))])
  if (isJson(json))
    return json.points === undefined ? readingOf([formIn(json)]) : readingOf(listIn(json.points))
  return readingOf(listIn(json))
}

const listIn = (points: unknown): Item[] => (Array.isArray(points) ? points.map(rowIn) : ['invalid'])

/** `[lat, lon, timestamp, altitude, accuracy, battery, satellites, user agent, speed, bearing]` */
function rowIn(row: unknown): Item {
  if (!Array.isArray(row)) return isJson(row) ? formIn(row) : 'invalid'
  const [lat, lon, timestamp, alt, acc, bat, , , speed, bearing]: unknown[] = row
  return formIn({ lat, lon, timestamp, alt, acc, bat, speed, bearing })
}

function formIn(fields: Json): Item {
  const point = pointOf({
    lat: fields.lat,
    lng: fields.lon,
    time: first(fields, ['timestamp', 'time']),
    accuracy: first(fields, ['acc', 'accuracy']),
    speed: speedOf(first(fields, ['speed', 'spd']), KMH_OF_MS),
    altitude: first(fields, ['alt', 'altitude']),
    heading: first(fields, ['bearing', 'dir']),
  })
  if (typeof point === 'string') return point
  return { point, ...field('battery', batteryOf(first(fields, ['bat', 'batt', 'battery']), 'percent')) }
}
