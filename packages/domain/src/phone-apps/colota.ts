/** Colota: its own format and templates of other servers; its speed is always m/s. */

import { featureIn } from './overland'
import { locationIn as messageIn } from './owntracks'
import { field, type Item, NOTHING_READ, pointOf, type Reading, readingOf } from './reading'
import { type AppRequest, asJson, first, isJson, type Json } from './request'
import { locationIn as traccarIn } from './traccar'
import { batteryOf, chargingOf, KMH_OF_MS, speedOf } from './values'

/** `bs`: 1 unplugged, 2 charging, 3 full. */
const CHARGING_BY_STATE = new Map<unknown, boolean>([
  [1, false],
  ['1', false],
  [2, true],
  ['2', true],
  [3, true],
  ['3', true],
])

export function readColota({ fields, json }: AppRequest): Reading {
  if (json === undefined && fields.size === 0) return NOTHING_READ
  return readingOf(batchIn(json ?? asJson(fields)).map(itemOf))
}

/** The points of a batch, under the names that the templates have for it. */
function batchIn(body: unknown): readonly unknown[] {
  if (Array.isArray(body)) return body
  if (!isJson(body)) return [body]
  const batch = first(body, ['locations', 'points', 'data'])
  return Array.isArray(batch) ? batch : [body]
}

function itemOf(one: unknown): Item {
  if (!isJson(one)) return 'invalid'
  if (one.type === 'Feature') return featureIn(one)
  if (isJson(one.location)) return traccarIn(one.location, one)
  if (one._type === undefined) return flatIn(one)
  return one._type === 'location' ? withBearing(messageIn(one, KMH_OF_MS), one) : 'not_a_point'
}

/** A message of OwnTracks in which the app's own name of the heading may stand. */
const withBearing = (item: Item, message: Json): Item =>
  message.cog === undefined && message.bear !== undefined ? flatIn(message) : item

function flatIn(fields: Json): Item {
  const point = pointOf({
    lat: first(fields, ['lat', 'latitude']),
    lng: first(fields, ['lon', 'lng', 'longitude']),
    time: first(fields, ['tst', 'timestamp', 'time']),
    accuracy: first(fields, ['acc', 'accuracy', 'hdop']),
    speed: speedOf(first(fields, ['vel', 'speed', 'spd']), KMH_OF_MS),
    altitude: first(fields, ['alt', 'altitude']),
    heading: first(fields, ['bear', 'bearing', 'cog', 'course', 'heading', 'dir']),
  })
  if (typeof point === 'string') return point
  return {
    point,
    ...field('battery', batteryOf(first(fields, ['batt', 'battery', 'bat']), 'percent')),
    ...field(
      'charging',
      CHARGING_BY_STATE.get(fields.bs) ?? chargingOf(first(fields, ['charge', 'charging'])),
    ),
  }
}
