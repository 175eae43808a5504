import { ALTITUDE_M_MAX, ALTITUDE_M_MIN, HEADING_MAX } from '@palanquin/domain/point/input'
import { EPOCH_SECONDS_BELOW, parseInstant } from '@palanquin/domain/time'

/** A fix of a recording in our units: degrees, metres, km/h. Missing values are null. */
export type RecordedFix = {
  lat: number
  lng: number
  /** Epoch milliseconds. */
  recordedAt: number
  accuracy: number | null
  speed: number | null
  altitude: number | null
  heading: number | null
}

/** A fix as in its file: numbers may be text, and the time has any format. */
export type RawFix = Partial<Record<Exclude<keyof RecordedFix, 'recordedAt'>, unknown>> & { time?: unknown }

const KMH_PER_MPS = 3.6

/** The number of a value or text; null when it is none. */
export function numberOf(value: unknown): number | null {
  if (typeof value === 'number') return Number.isFinite(value) ? value : null
  if (typeof value !== 'string' || value.trim() === '') return null
  const number = Number(value)
  return Number.isFinite(number) ? number : null
}

/** A non-negative number; null for −1, by which an iPhone says unknown. */
function measured(value: unknown): number | null {
  const number = numberOf(value)
  return number === null || number < 0 ? null : number
}

/** km/h of a speed in metres per second. */
export function kmhOf(metresPerSecond: unknown): number | null {
  const speed = measured(metresPerSecond)
  return speed === null ? null : speed * KMH_PER_MPS
}

/** A place is no worse for an altitude or a heading that cannot be. */
const within = (value: number | null, min: number, max: number): number | null =>
  value !== null && value >= min && value <= max ? value : null

/** The fix in our units; `place` or `time` where that is missing or none. */
export function fixOf(raw: RawFix): RecordedFix | 'place' | 'time' {
  const [lat, lng, recordedAt] = [numberOf(raw.lat), numberOf(raw.lng), instantOf(raw.time)]
  if (lat === null || lng === null || Math.abs(lat) > 90 || Math.abs(lng) > 180) return 'place'
  if (recordedAt === null) return 'time'
  return {
    lat,
    lng,
    recordedAt,
    // No phone is exact: 0 says that it does not know.
    accuracy: measured(raw.accuracy) || null,
    speed: measured(raw.speed),
    altitude: within(numberOf(raw.altitude), ALTITUDE_M_MIN, ALTITUDE_M_MAX),
    heading: within(measured(raw.heading), 0, HEADING_MAX),
  }
}

/** Epoch milliseconds of ISO 8601 (without an offset: UTC, as in GPX), epoch s or ms. */
export function instantOf(value: unknown): number | null {
  const number = numberOf(value)
  if (number !== null) return Math.round(number < EPOCH_SECONDS_BELOW ? number * 1000 : number)
  if (typeof value !== 'string') return null
  const text = value.trim().replace(' ', 'T')
  return parseInstant(text) ?? parseInstant(`${text}Z`)
}
