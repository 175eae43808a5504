/** One GPS point: what it may say, which sources may send it, and whether it counts. Contract section 3. */
import Type, { type Static } from 'typebox'
import { Latitude, Longitude } from './geo'
import { UserId } from './ids'
import { OptionalField } from './optional'
import { PersonText } from './text'
import { parseRecordedAt, RECORDED_AT_EXPECTED, RecordedAtInput } from './time'

/** Specification 2.6.1. Exactly these still count. */
export const MAX_SPEED_KMH = 120
export const MAX_ACCURACY_M = 100

/** Contract section 3: phones' clocks run ahead, and phones without a network send late. */
export const CLOCK_DRIFT_MS_MAX = 5 * 60_000
export const POINT_AGE_MS_MAX = 30 * 86_400_000

/** Specification 4.6 and contract section 3. */
export const DUPLICATE_WINDOW_MS = 60_000
export const SYNC_POINTS_MAX = 1000
export const NOTE_CHARACTERS_MAX = 200

/** `VALID_SOURCES` where the operator says nothing: the clients in the field, then the usual trackers. */
export const DEFAULT_SOURCES = [
  'auto',
  'manual',
  'photo',
  'checkin',
  'remote',
  'saved',
  'liff',
  'web',
  'ios',
  'android',
  'owntracks',
  'overland',
  'traccar',
  'gpslogger',
  'osmand',
  'opengts',
  'colota',
  'ulogger',
  'phonetrack',
] as const

/** A LINE location message is a check-in from this source, on the internal path alone (contract section 6). */
export const LINE_SOURCE = 'line'

export const POINT_KINDS = ['checkin', 'track'] as const
export type PointKind = (typeof POINT_KINDS)[number]

/** The source of a point or sync that names none (contract section 3). */
export const DEFAULT_SOURCE_OF = { checkin: 'checkin', track: 'auto' } as const satisfies Record<
  PointKind,
  string
>

// Bounds that no phone on or above the Earth exceeds; a number outside is a fault of the client, not a measurement.
const ACCURACY_M_BOUND = 40_100_000 // round the Earth
const SPEED_KMH_BOUND = 1_100_000 // a thousand times the speed of sound
const ALTITUDE_M_MIN = -12_000 // below the deepest trench
const ALTITUDE_M_MAX = 1_000_000 // above every aeroplane and most satellites

/** Less than any of them is nothing (an atom is 1e-10 m); PostgreSQL refuses to store or to multiply numbers near 5e-324. */
export const SMALLEST_MEASURE = 1e-30

// No minimum: iOS says -1 where it does not know, for half of all fixes. `measurement` leaves that out.
const Accuracy = Type.Number({ maximum: ACCURACY_M_BOUND })
const Speed = Type.Number({ maximum: SPEED_KMH_BOUND })
const Altitude = Type.Number({ minimum: ALTITUDE_M_MIN, maximum: ALTITUDE_M_MAX })
const Heading = Type.Number({ maximum: 360 })
const NEGATIVE_IS_UNKNOWN = 'a negative number means unknown and is left out'

/** What a phone measured: degrees; accuracy and altitude in metres, speed in km/h, heading in degrees from north. */
export const PointFields = Type.Object({
  lat: Latitude,
  lng: Longitude,
  accuracy: OptionalField(Accuracy, `metres, from 0 to ${ACCURACY_M_BOUND}; ${NEGATIVE_IS_UNKNOWN}`),
  speed: OptionalField(Speed, `km/h, from 0 to ${SPEED_KMH_BOUND}; ${NEGATIVE_IS_UNKNOWN}`),
  altitude: OptionalField(Altitude, `metres, from ${ALTITUDE_M_MIN} to ${ALTITUDE_M_MAX}`),
  heading: OptionalField(Heading, `degrees, from 0 to 360; ${NEGATIVE_IS_UNKNOWN}`),
})
export type PointFields = Static<typeof PointFields>

const Source = OptionalField(Type.String({ maxLength: 64 }), 'one of VALID_SOURCES')

/** Body of `POST /checkin`. `source` and `recordedAt` are judged by the verb: `sources`, `parseRecordedAt`, `instantProblem`. */
export const CheckinBody = Type.Object({
  userId: UserId,
  source: Source,
  note: OptionalField(
    PersonText({ min: 0, max: NOTE_CHARACTERS_MAX }),
    `a text of at most ${NOTE_CHARACTERS_MAX} characters`,
  ),
  ...PointFields.properties,
  recordedAt: OptionalField(RecordedAtInput, RECORDED_AT_EXPECTED),
})
export type CheckinBody = Static<typeof CheckinBody>

/** One element of `points`, for the API document: `judgePoint` gives a verdict on each instead of a 400 for all. */
export const SyncPoint = Type.Object({
  ...PointFields.properties,
  recordedAt: RecordedAtInput,
  source: Source,
})

/** Body of `POST /track/sync`. */
export const TrackSyncBody = Type.Object({
  userId: UserId,
  source: Source,
  points: Type.Array(Type.Unknown(), {
    minItems: 1,
    maxItems: SYNC_POINTS_MAX,
    description: `an array of 1 to ${SYNC_POINTS_MAX} points`,
  }),
})
export type TrackSyncBody = Static<typeof TrackSyncBody>

/** The same with its points, for the API document: a point that is none is `rejected`, and the others are taken. */
export const TrackSyncDocument = Type.Object({
  ...TrackSyncBody.properties,
  points: Type.Array(SyncPoint, {
    minItems: 1,
    maxItems: SYNC_POINTS_MAX,
    description: `1 to ${SYNC_POINTS_MAX} points; one that is malformed, too old or too far ahead is rejected by itself`,
  }),
})

/** A point that was accepted. What it did not say is null. */
export type Point = {
  readonly kind: PointKind
  /** Epoch milliseconds. */
  readonly recordedAt: number
  readonly lat: number
  readonly lng: number
  /** Metres. */
  readonly accuracy: number | null
  /** km/h. */
  readonly speed: number | null
  /** Metres. */
  readonly altitude: number | null
  /** Degrees from north. */
  readonly heading: number | null
  readonly source: string
}

export type InstantProblem = 'too_old' | 'future'
export type PointVerdict = { point: Point } | { rejected: 'invalid' | InstantProblem }

/** How far `now` may be off where nobody knows the time for sure: then an honest point is rather taken than refused. */
export const UNSURE_CLOCK_MS = 86_400_000

/**
 * Whether a point's time is out of bounds; exactly 5 minutes ahead and exactly 30 days back are fine (null). `unsureMs`:
 * how far `now` may be off.
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
  /** The sync's own source, judged already. */
  defaultSource: string
  kind: PointKind
}

/**
 * The verdict on one point of a sync: the point, or why the phone should not send it again. The rules of `SyncPoint`
 * by hand, because a sync brings a thousand. A source that is not on the whitelist makes the point `invalid`.
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
  const heading = amount(fields.heading, 360)
  if (recordedAt === null || typeof source !== 'string') return { rejected: 'invalid' }
  if (source !== defaultSource && !sources.includes(source)) return { rejected: 'invalid' }
  if (typeof lat !== 'number' || typeof lng !== 'number') return { rejected: 'invalid' }
  if (accuracy === undefined || speed === undefined || altitude === undefined || heading === undefined) {
    return { rejected: 'invalid' }
  }
  const problem = instantProblem(recordedAt, now, unsureMs)
  if (problem !== null) return { rejected: problem }
  return { point: { kind, recordedAt, lat, lng, accuracy, speed, altitude, heading, source } }
}

/** What a check-in says of accuracy, speed or heading: null where it is left out or unknown (contract section 8.14). */
export function measurement(value: number | null | undefined): number | null {
  return value === undefined || value === null || value < 0 ? null : value
}

/** `measure` of what cannot be negative: a negative number is how iOS says that it does not know. */
function amount(value: unknown, max: number): number | null | undefined {
  return typeof value === 'number' && value < 0 ? null : measure(value, 0, max)
}

/** The number, null where nothing was measured, undefined where the value is none or out of bounds. */
function measure(value: unknown, min: number, max: number): number | null | undefined {
  if (value === undefined || value === null) return null
  if (typeof value !== 'number' || !(value >= min && value <= max)) return undefined
  return Math.abs(value) < SMALLEST_MEASURE ? 0 : value
}

/** Rule 2.6.1: whether a point may enter the distance at all. A missing speed or accuracy passes. */
export function countsForDistance(point: {
  readonly speed: number | null
  readonly accuracy: number | null
}): boolean {
  return (
    (point.speed === null || point.speed <= MAX_SPEED_KMH) &&
    (point.accuracy === null || point.accuracy <= MAX_ACCURACY_M)
  )
}
