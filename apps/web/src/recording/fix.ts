import type { TrackPoint } from '../outbox/entry.ts'

/** Web face, section 6: a check-in takes a fix of this age at most, and waits so long for one. */
const FIX_AGE_MS_MAX = 30_000
const FIX_WAIT_MS = 10_000
const MS_TO_KMH = 3.6
/** Some browsers count a fix's time from another beginning than 1970. */
const CLOCK_ERROR_MS_MAX = 600_000

let last: TrackPoint | null = null

/** A fix as the service takes it: what the phone does not know is left out. */
export function pointOf({ coords, timestamp }: GeolocationPosition, nowMs: number): TrackPoint {
  const { latitude: lat, longitude: lng, accuracy, speed, altitude, heading } = coords
  const recordedAt = Math.abs(nowMs - timestamp) <= CLOCK_ERROR_MS_MAX ? Math.round(timestamp) : nowMs
  return {
    ...{ lat, lng, accuracy, recordedAt },
    ...(isNumber(speed) && speed >= 0 ? { speed: speed * MS_TO_KMH } : {}),
    ...(isNumber(altitude) ? { altitude } : {}),
    ...(isNumber(heading) ? { heading } : {}),
  }
}

const isNumber = (value: number | null): value is number => value !== null && Number.isFinite(value)

/** Remembers the newest fix, for the next check-in. */
export function noteFix(point: TrackPoint): void {
  last = point
}

/** Where the phone is: the last fix if it is young, else a new one within ten seconds; null without one. */
export function freshFix(): Promise<TrackPoint | null> {
  const nowMs = Date.now()
  if (last !== null && nowMs - last.recordedAt <= FIX_AGE_MS_MAX) return Promise.resolve(last)
  if (!('geolocation' in navigator)) return Promise.resolve(null)
  return new Promise((resolve) => {
    // A question to the person does not count into the browser's own limit.
    const timer = setTimeout(() => resolve(null), FIX_WAIT_MS)
    navigator.geolocation.getCurrentPosition(
      (position) => {
        clearTimeout(timer)
        const point = pointOf(position, Date.now())
        noteFix(point)
        resolve(point)
      },
      () => {
        clearTimeout(timer)
        resolve(null)
      },
      { enableHighAccuracy: true, maximumAge: FIX_AGE_MS_MAX, timeout: FIX_WAIT_MS },
    )
  })
}
