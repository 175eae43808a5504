import type { RawFix } from './fix.ts'

type Facts = Record<string, unknown>

const TIME_NAMES = ['time', 'timestamp', 'datetime', 'recordedAt', 'recorded_at', 'date']

/**
 * Points of GeoJSON (RFC 7946): Point features with a time among their properties, and lines whose properties bring
 * a time for each place (`coordTimes`, `coordinateProperties.times`, `times`). Undefined when it is no GeoJSON.
 */
export function readGeoJson(text: string): RawFix[] | undefined {
  const root: unknown = parsed(text)
  if (!isFacts(root) || typeof root.type !== 'string') return undefined
  const features = root.type === 'FeatureCollection' ? root.features : [root]
  return Array.isArray(features) ? features.flatMap(fixesOf) : undefined
}

function fixesOf(feature: unknown): RawFix[] {
  if (!isFacts(feature)) return []
  const geometry = isFacts(feature.geometry) ? feature.geometry : feature
  const properties = isFacts(feature.properties) ? feature.properties : {}
  const { type, coordinates } = geometry
  if (type === 'Point') return [fixAt(coordinates, { ...properties, time: timeAmong(properties) })]
  const times = timesAmong(properties)
  if (type === 'LineString' || type === 'MultiPoint') return line(coordinates, times)
  if (type !== 'MultiLineString' || !Array.isArray(coordinates)) return []
  return coordinates.flatMap((part, index) => line(part, Array.isArray(times) ? times[index] : undefined))
}

const line = (places: unknown, times: unknown): RawFix[] =>
  Array.isArray(places)
    ? places.map((place, index) => fixAt(place, { time: Array.isArray(times) ? times[index] : undefined }))
    : []

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

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined // no JSON as a whole: it may be lines of it, which is no GeoJSON
  }
}

const isFacts = (value: unknown): value is Facts =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
