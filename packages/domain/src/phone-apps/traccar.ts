/** Traccar Client: 8 and 10 send fields with knots, 9 (and Dawarich's app) JSON with m/s. */
import { field, type Item, pointOf, type Reading, readingOf } from './reading'
import { type AppRequest, asJson, first, inside, isJson, type Json } from './request'
import { batteryOf, batteryUnlessZero, chargingOf, KMH_OF_KNOT, KMH_OF_MS, speedOf } from './values'

export function readTraccar({ fields, json }: AppRequest): Reading {
  if (json === undefined) return readingOf([fieldsOf(asJson(fields))])
  const bodies = Array.isArray(json) ? json : [json]
  return readingOf(
    bodies.flatMap((body) => {
      if (!isJson(body)) return ['invalid']
      const { location } = body
      const locations = Array.isArray(location) ? location : [location]
      return locations.map((one) => (isJson(one) ? locationIn(one, body) : 'not_a_point'))
    }),
  )
}

/** Whether it is of Dawarich's app, which reads the reply as JSON. */
export function isFromDawarich({ json }: AppRequest): boolean {
  if (!isJson(json) || !isJson(json.location)) return false
  return json.location.latitude !== undefined && json.location.coords === undefined
}

function fieldsOf(fields: Json): Item {
  const point = pointOf(
    {
      lat: fields.lat,
      lng: fields.lon,
      time: fields.timestamp,
      accuracy: fields.accuracy,
      speed: speedOf(fields.speed, KMH_OF_KNOT),
      altitude: fields.altitude,
      heading: first(fields, ['bearing', 'heading']),
    },
    'untimed',
  )
  if (typeof point === 'string') return point
  return {
    point,
    ...field('battery', batteryUnlessZero(fields.batt)),
    ...field('charging', chargingOf(fields.charge)),
  }
}

/** A location with its fields in `coords`, or in itself; the battery in it, or beside it. */
export function locationIn(location: Json, body: Json): Item {
  const coords = isJson(location.coords) ? location.coords : location
  const point = pointOf(
    {
      lat: coords.latitude,
      lng: coords.longitude,
      time: first(location, ['timestamp', 'time']),
      accuracy: coords.accuracy,
      speed: speedOf(coords.speed, KMH_OF_MS),
      altitude: coords.altitude,
      heading: first(coords, ['heading', 'course', 'bearing']),
    },
    'untimed',
  )
  if (typeof point === 'string') return point
  const battery = isJson(location.battery) ? location.battery : inside(body, 'battery')
  return {
    point,
    ...field('battery', batteryOf(battery.level, 'fraction')),
    ...field('charging', chargingOf(battery.is_charging)),
  }
}
