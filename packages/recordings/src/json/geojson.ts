import { kmhOf, type RawFix } from '../fix.ts'
import { type Facts, isFacts, listOf } from './read.ts'

const TIME_NAMES = ['time', 'timestamp', 'datetime', 'recordedAt', 'recorded_at', 'date']

/** Points of a feature with times (`time`, `coordTimes`, `times`); speeds are m/s, km/h in our exports. */
export function fixesOf(feature: unknown): RawFix[] {
  if (!isFacts(feature)) return []
  const geometry = isFacts(feature.geometry) ? feature.geometry : feature
  const properties = isFacts(feature.properties) ? feature.properties : {}
  const { type, coordinates } = geometry
  if (type === 'Point') return [pointOf(coordinates, properties)]
  const times = timesAmong(properties)
  const measured = isFacts(properties.coordinateProperties) ? properties.coordinateProperties : {}
  if (type === 'LineString' || type === 'MultiPoint') return line(coordinates, { ...measured, time: times })
  if (type !== 'MultiLineString') return []
  return listOf(coordinates).flatMap((part, index) => line(part, { time: itemOf(times, index) }))
}

function pointOf(place: unknown, properties: Facts): RawFix {
  const speed = properties.recordedAt === undefined ? kmhOf(properties.speed) : properties.speed
  const heading = properties.heading ?? properties.course ?? properties.bearing
  const accuracy = properties.accuracy ?? properties.horizontal_accuracy
  const fix = fixAt(place, { time: timeAmong(properties), accuracy, speed, heading })
  return { ...fix, altitude: fix.altitude ?? properties.altitude }
}

/** `lists`: one list per measure, an item for each position. */
const line = (places: unknown, lists: Facts): RawFix[] =>
  listOf(places).map((place, index) =>
    fixAt(place, {
      time: itemOf(lists.time, index),
      accuracy: itemOf(lists.accuracy, index),
      speed: itemOf(lists.speed, index),
    }),
  )

const itemOf = (list: unknown, index: number): unknown => listOf(list)[index]

function fixAt(place: unknown, { time, accuracy, speed, heading }: Facts): RawFix {
  const [lng, lat, altitude] = Array.isArray(place) ? place : []
  return { lat, lng, altitude, time, accuracy, speed, heading }
}

const timeAmong = (properties: Facts): unknown =>
  TIME_NAMES.map((name) => properties[name]).find((time) => time !== undefined)

function timesAmong(properties: Facts): unknown {
  const nested = isFacts(properties.coordinateProperties) ? properties.coordinateProperties.times : undefined
  return properties.coordTimes ?? nested ?? properties.times
}
