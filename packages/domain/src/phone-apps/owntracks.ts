/** OwnTracks for Android and iOS: one `_type: location` a POST, speed in km/h. */
import { type Item, pointOf, type Reading, readingOf } from './reading'
import { type AppRequest, isJson, type Json } from './request'
import { batteryOf, type KMH_OF_MS, numberOf, speedOf } from './values'

/** Overland in its mode for OwnTracks counts seconds from 2001; its first version is of 2014. */
const APPLE_EPOCH_S = 978_307_200
const APPLE_TIME_S_MIN = 400_000_000
const APPLE_TIME_S_MAX = 1e9
/** `bs`: 1 unplugged, 2 charging, 3 full. */
const CHARGING = new Map([
  [1, false],
  [2, true],
  [3, true],
])

export function readOwntracks({ json }: AppRequest): Reading {
  return readingOf(
    (Array.isArray(json) ? json : json === undefined ? [] : [json]).map((one) => itemOf(one, 1)),
  )
}

/** A location message; Colota writes the same with `vel` in m/s. */
export function locationIn(message: Json, kmhOfSpeedUnit: 1 | typeof KMH_OF_MS): Item {
  const point = pointOf({
    lat: message.lat,
    lng: message.lon,
    time: timeSince1970(message.tst),
    accuracy: message.acc,
    speed: speedOf(message.vel, kmhOfSpeedUnit),
    altitude: message.alt,
    heading: message.cog,
  })
  if (typeof point === 'string') return point
  const charging = CHARGING.get(numberOf(message.bs) ?? 0)
  const battery = batteryOf(message.batt, 'percent')
  return {
    point,
    byHand: message.t === 'u',
    ...(battery === undefined ? {} : { battery }),
    ...(charging === undefined ? {} : { charging }),
  }
}

/** Everything but a location is of the app's own: regions, friends, commands, its last will. */
function itemOf(message: unknown, kmhOfSpeedUnit: 1): Item {
  if (!isJson(message)) return 'invalid'
  return message._type === 'location' ? locationIn(message, kmhOfSpeedUnit) : 'not_a_point'
}

function timeSince1970(tst: unknown): unknown {
  const seconds = numberOf(tst)
  const isApple = typeof seconds === 'number' && seconds >= APPLE_TIME_S_MIN && seconds < APPLE_TIME_S_MAX
  return isApple ? seconds + APPLE_EPOCH_S : tst
}
