/** Overland for iOS: batches of GeoJSON features, speed in m/s. */
import { field, type Item, NO_POINT, pointOf, type Reading, readingOf, UNREADABLE } from './reading'
import { type AppRequest, inside, isJson } from './request'
import { batteryOf, KMH_OF_MS, speedOf } from './values'

const CHARGING = new Set(['charging', 'full'])

export function readOverland({ json }: AppRequest): Reading {
  if (!isJson(json)) return json === undefined ? readingOf([]) : UNREADABLE
  return Array.isArray(json.locations) ? readingOf(json.locations.map(featureIn)) : NO_POINT
}

/** One without a place, or with an `action` or `type`, is the app's log. */
export function featureIn(feature: unknown): Item {
  if (!isJson(feature)) return 'invalid'
  const properties = inside(feature, 'properties')
  const { type, coordinates } = inside(feature, 'geometry')
  if (type !== 'Point' || properties.action !== undefined || properties.type !== undefined)
    return 'not_a_point'
  if (!Array.isArray(coordinates)) return 'invalid'
  const [lng, lat]: unknown[] = coordinates
  const point = pointOf({
    lat,
    lng,
    time: properties.timestamp,
    accuracy: properties.horizontal_accuracy,
    speed: speedOf(properties.speed, KMH_OF_MS),
    altitude: properties.altitude,
    heading: properties.course,
  })
  if (typeof point === 'string') return point
  const { battery_state: state } = properties
  const charging = typeof state === 'string' && state !== '' ? CHARGING.has(state) : undefined
  return {
    point,
    ...field('battery', batteryOf(properties.battery_level, 'fraction')),
    ...field('charging', charging),
  }
}
