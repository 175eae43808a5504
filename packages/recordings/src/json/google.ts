import { instantOf, kmhOf, numberOf, type RawFix } from '../fix.ts'
import type { Found } from '../found.ts'
import { type Facts, factsOf, isFacts, listOf } from './read.ts'

/** Google writes degrees as whole numbers. */
const PER_DEGREE = 10_000_000
const MINUTE_MS = 60_000
/** Half of `"48.8566°, 2.3522°"` or `"geo:27.7,-97.3"`. */
const NUMBER = /^-?\d{1,3}(?:\.\d+)?°?$/

const degrees = (e7: unknown): number | null => {
  const number = numberOf(e7)
  return number === null ? null : number / PER_DEGREE
}

function placeOf(text: unknown): Pick<RawFix, 'lat' | 'lng'> {
  if (typeof text !== 'string') return {}
  const [lat = '', lng = '', ...more] = text
    .replace(/^geo:/, '')
    .split(',')
    .map((part) => part.trim())
  if (more.length > 0 || !NUMBER.test(lat) || !NUMBER.test(lng)) return {}
  return { lat: lat.replace('°', ''), lng: lng.replace('°', '') }
}

/** An element of `locations` in Records.json. */
export function readRecord(record: unknown, found: Found): void {
  const at = factsOf(record)
  found.add({
    lat: degrees(at.latitudeE7),
    lng: degrees(at.longitudeE7),
    time: at.timestamp ?? at.timestampMs,
    accuracy: at.accuracy,
    speed: kmhOf(at.velocity),
    altitude: at.altitude,
    heading: at.heading,
  })
}

/** An element of `timelineObjects`: only the raw path of an activity has times. */
export function readTimelineObject(element: unknown, found: Found): void {
  const path = factsOf(factsOf(factsOf(element).activitySegment).simplifiedRawPath)
  for (const point of listOf(path.points)) {
    const at = factsOf(point)
    found.add({
      lat: degrees(at.latE7),
      lng: degrees(at.lngE7),
      time: at.timestamp ?? at.timestampMs,
      accuracy: at.accuracyMeters,
    })
  }
}

/** A segment of the timeline: its points have a time, or minutes since the segment began. */
export function readSegment(element: unknown, found: Found): void {
  const segment = factsOf(element)
  const start = instantOf(segment.startTime)
  for (const point of listOf(segment.timelinePath)) {
    const at = factsOf(point)
    found.add({ ...placeOf(at.point ?? latLngOf(at)), time: at.time ?? minutesAfter(start, at) })
  }
}

function minutesAfter(start: number | null, at: Facts): number | undefined {
  const minutes = numberOf(at.durationMinutesOffsetFromStartTime)
  return start === null || minutes === null ? undefined : start + Math.round(minutes * MINUTE_MS)
}

/** An element of `rawSignals`: those of Wi-Fi and activities are no positions. */
export function readSignal(element: unknown, found: Found): void {
  const { position } = factsOf(element)
  if (!isFacts(position)) return
  found.add({
    ...placeOf(latLngOf(position)),
    time: position.timestamp,
    accuracy: position.accuracyMeters,
    speed: kmhOf(position.speedMetersPerSecond),
    altitude: position.altitudeMeters,
  })
}

const latLngOf = (at: Facts): unknown => at.LatLng ?? at.latLng
