import { nowMs, serverTimeOf } from '../api/server-clock.ts'
import type { TrackPoint } from '../outbox/entry.ts'

/** Web face, section 6: a check-in takes a fix of this age at most, and waits so long for one. */
const FIX_AGE_MS_MAX = 30_000
const FIX_WAIT_MS = 10_000
const MS_TO_KMH = 3.6
/** Old versions of Safari count from 2001, in milliseconds or in seconds. */
const SINCE_2001_MS = 978_307_200_000

let last: TrackPoint | null = null

/** A fix as the service takes it, with its own time: what the phone does not know is left out. */
export function pointOf({ coords, timestamp }: GeolocationPosition): TrackPoint {
  const { latitude: lat, longitude: lng, accuracy, speed, altitude, heading } = coords
  return {
    lat,
    lng,
    accuracy,
    recordedAt: fixTimeOf(timestamp),
    ...(isNumber(speed) && speed >= 0 ? { speed: speed * MS_TO_KMH } : {}),
    ...(isNumber(altitude) ? { altitude } : {}),
    ...(isNumber(heading) && heading >= 0 ? { heading } : {}),
  }
}

/** When a fix was made, by the server's clock: of all readings the one that is closest to now. */
function fixTimeOf(timestamp: number): number {
  const readings = [timestamp, timestamp + SINCE_2001_MS, timestamp * 1_000 + SINCE_2001_MS]
  // Some phones count by their own clock, others by the satellites'.
  return [...readings, ...readings.map(serverTimeOf)]
    .map(Math.round)
    .reduce((best, one) => (ageMs(one) < ageMs(best) ? one : best))
}
const ageMs = (atMs: number): number => Math.abs(nowMs() - atMs)

const isNumber = (value: number | null): value is number => value !== null && Number.isFinite(value)

/** Remembers the newest fix, for the next check-in. */
export function noteFix(point: TrackPoint): void {
  last = point
}

/** The last fix if it is young, else the first young one within ten seconds; null without one. */
export function freshFix(): Promise<TrackPoint | null> {
  if (last !== null && ageMs(last.recordedAt) <= FIX_AGE_MS_MAX) return Promise.resolve(last)
  if (!('geolocation' in navigator)) return Promise.resolve(null)
  return new Promise((resolve) => {
    let watch = 0
    const end = (fix: TrackPoint | null) => {
      clearTimeout(timer)
      navigator.geolocation.clearWatch(watch)
      resolve(fix)
    }
    // A question to the person does not count into the browser's own limit.
    const timer = setTimeout(() => end(null), FIX_WAIT_MS)
    watch = navigator.geolocation.watchPosition(
      (position) => {
        const point = pointOf(position)
        if (ageMs(point.recordedAt) > FIX_AGE_MS_MAX) return
        noteFix(point)
        end(point)
      },
      () => end(null),
      { enableHighAccuracy: true, maximumAge: FIX_AGE_MS_MAX, timeout: FIX_WAIT_MS },
    )
  })
}
