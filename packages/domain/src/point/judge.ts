/** The verdict on one point of a sync: accepted, or why not. Contract section 3. */
import type { Static } from 'typebox'
import type { Point, PointKind } from '../point'
import { parseRecordedAt } from '../time'
import {
  ACCURACY_M_BOUND,
  ALTITUDE_M_MAX,
  ALTITUDE_M_MIN,
  BATTERY_MAX,
  HEADING_MAX,
  SPEED_KMH_BOUND,
  type SyncPoint,
} from './input'

/** Contract section 3: clocks of phones run ahead, and phones without a network send late. */
export const CLOCK_DRIFT_MS_MAX = 5 * 60_000
export const POINT_AGE_MS_MAX = 30 * 86_400_000

/** A smaller measurement counts as 0: PostgreSQL refuses to store or multiply numbers near 5e-324. */
export const SMALLEST_MEASURE = 1e-30

export type InstantProblem = 'too_old' | 'future'
export type PointVerdict = { point: Point } | { rejected: 'invalid' | InstantProblem }

/** How far `now` may be off while the time is unsure, so that no honest point is rejected. */
export const UNSURE_CLOCK_MS = 86_400_000

/**
 * Whether a point's time is out of bounds; exactly 5 minutes ahead and exactly 30 days back are allowed (null). `unsureMs`
 * is how far `now` may be off.
 */
export function instantProblem(ms: number, now: number, unsureMs = 0): InstantProblem | null {
  if (ms > now + CLOCK_DRIFT_MS_MAX + unsureMs) return 'future'
  return ms < now - POINT_AGE_MS_MAX - unsureMs ? 'too_old' : null
}

type Judging = {
  /** Epoch milliseconds. */
  now: number
  /** How far `now` may be off; 0 if left out. */
  unsureMs?: number
  /** The whitelist, `VALID_SOURCES`. */
  sources: readonly string[]
  /** The source of the sync, already validated. */
  defaultSource: string
  kind: PointKind
}

/**
 * The verdict on one point of a sync: the point, or why the phone should not send it again. It repeats the rules of
 * `SyncPoint` by hand, as a sync has a thousand points. A source off the whitelist makes the point `invalid`.
 */
export function judgePoint(
  input: unknown,
  { now, unsureMs = 0, sources, defaultSource, kind }: Judging,
): PointVerdict {
  if (typeof input !== 'object' || input === null) return { rejected: 'invalid' }
  const fields: Partial<Record<keyof Static<typeof SyncPoint>, unknown>> = input
  const recordedAt = parseRecordedAt(fields.recordedAt)
  const source = fields.source ?? defaultSource
  const lat = measure(fields.lat, -90, 90)
  const lng = measure(fields.lng, -180, 180)
  const accuracy = amount(fields.accuracy, ACCURACY_M_BOUND)
  const speed = amount(fields.speed, SPEED_KMH_BOUND)
  const altitude = measure(fields.altitude, ALTITUDE_M_MIN, ALTITUDE_M_MAX)
  const heading = amount(fields.heading, HEADING_MAX)
  const battery = amount(fields.battery, BATTERY_MAX)
  if (recordedAt === null || typeof source !== 'string') return { rejected: 'invalid' }
  if (source !== defaultSource && !sources.includes(source)) return { rejected: 'invalid' }
  if (typeof lat !== 'number' || typeof lng !== 'number') return { rejected: 'invalid' }
  if (accuracy === undefined || speed === undefined || altitude === undefined || heading === undefined) {
    return { rejected: 'invalid' }
  }
  const problem = instantProblem(recordedAt, now, unsureMs)
  if (problem !== null) return { rejected: problem }
  if (battery === undefined) return { rejected: 'invalid' }
  const point = { kind, recordedAt, lat, lng, accuracy, speed, altitude, heading, source }
  return { point: battery === null ? point : { ...point, battery: Math.round(battery) } }
}

/** The accuracy, speed or heading of a check-in; null where it is left out or unknown (contract section 8.14). */
export function measurement(value: number | null | undefined): number | null {
  return value === undefined || value === null || value < 0 ? null : value
}

/** `measure` of a quantity that cannot be negative: iOS sends a negative number where it does not know. */
function amount(value: unknown, max: number): number | null | undefined {
  return typeof value === 'number' && value < 0 ? null : measure(value, 0, max)
}

/** The number, null where nothing was measured, undefined where the value is not a number or out of bounds. */
function measure(value: unknown, min: number, max: number): number | null | undefined {
  if (value === undefined || value === null) return null
  if (typeof value !== 'number' || !(value >= min && value <= max)) return undefined
  return Math.abs(value) < SMALLEST_MEASURE ? 0 : value
}
