/** The schemas of all events that the services publish on the bus. */
import Type, { type Static, type TSchema } from 'typebox'
import { ActivityStatus } from './activity'
import { SHARD_COUNT, UserId } from './ids'
import { Nullable } from './optional'
import { Language, ParticipantStatus, Visibility } from './participant'
import { Iso } from './time'

/** Keeps an event far below the limits of a stream entry and of a consumer's batch. */
export const TRACK_ADVANCED_PARTICIPANTS_MAX = 500

/** Who did it: a role (`owner`, `manager`), never a token. */
const By = Type.String({ minLength: 1, maxLength: 64 })
const Count = Type.Integer({ minimum: 0 })
const Km = Type.Number({ minimum: 0 })

/** A participant's totals after a flush: absolute and unrounded, so that a repeated event does no harm. */
const TrackTotals = Type.Object({
  userId: UserId,
  points: Count,
  checkins: Count,
  walkedKm: Km,
  motorizedKm: Km,
  /** When the latest counted point was recorded. */
  lastRecordedAt: Nullable(Iso),
})

/** The data of each type of event. */
export const EVENT_DATA = {
  'activity.changed': Type.Object({ status: ActivityStatus, since: Iso, by: By }),
  'activity.ended': Type.Object({ at: Iso, by: By }),
  'participant.changed': Type.Object({
    userId: UserId,
    status: ParticipantStatus,
    consent: Type.Boolean(),
    /** Left out by processes of older versions, which cannot change it. */
    visibility: Type.Optional(Visibility),
    /** Of the public id. Left out by processes of older versions. */
    publicVersion: Type.Optional(Type.Integer()),
    displayName: Nullable(Type.String()),
    language: Nullable(Language),
    /** Of a device that was joined to a LINE id: the person whose its walk is from then on. */
    joinedTo: Type.Optional(UserId),
  }),
  'track.advanced': Type.Object({
    shard: Type.Integer({ minimum: 0 }),
    participants: Type.Array(TrackTotals, { minItems: 1, maxItems: TRACK_ADVANCED_PARTICIPANTS_MAX }),
  }),
  'achievement.unlocked': Type.Object({ userId: UserId, at: Iso }),
  /** `mark` is the erasure token. Consumers delete what was received up to `at`, or buffered up to `upTo`. */
  'participant.erased': Type.Object({
    shard: Type.Integer({ minimum: 0, maximum: SHARD_COUNT - 1 }),
    mark: Type.String({ pattern: '^[A-Za-z0-9_-]{22}$' }),
    at: Iso,
    upTo: Type.String({ pattern: '^[0-9]{1,15}-[0-9]{1,15}$' }),
  }),
  /** A participant's number of photos changed: absolute, so that a repeated event does no harm. */
  'photos.changed': Type.Object({ userId: UserId, count: Count }),
  /** A device was revoked or got another token. */
  'device.changed': Type.Object({
    deviceId: Type.String({ pattern: '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$' }),
  }),
  /** Somebody is missing or was found: volunteers near are to be notified. */
  'lost.reported': Type.Object({
    caseId: Type.String({ pattern: '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$' }),
  }),
  /** An administrator acted in a service without an audit log of its own; the timeline shows it. */
  'admin.acted': Type.Object({
    action: Type.String({ pattern: '^[a-z-]+\\.[a-z-]+$', maxLength: 64 }),
    by: By,
    detail: Type.Record(Type.String(), Type.Unknown()),
  }),
} as const satisfies Record<string, TSchema>

export type EventType = keyof typeof EVENT_DATA
export type EventData<T extends EventType> = Static<(typeof EVENT_DATA)[T]>

/** An event of one type, or of any: `switch (event.type)` narrows `data`. */
export type DomainEvent<T extends EventType = EventType> = {
  [K in T]: { id: string; type: K; at: string; data: EventData<K> }
}[T]

export const EVENT_TYPES = [
  'activity.changed',
  'activity.ended',
  'participant.changed',
  'track.advanced',
  'achievement.unlocked',
  'participant.erased',
  'photos.changed',
  'device.changed',
  'lost.reported',
  'admin.acted',
] as const satisfies readonly EventType[]

export function isEventType(value: unknown): value is EventType {
  return EVENT_TYPES.some((type) => type === value)
}

const EventId = Type.String({
  pattern: '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$',
  description: 'a UUID in lower case',
})

/** The schema of a whole event of a type, envelope and data. */
export function eventSchemaOf<T extends EventType>(type: T) {
  return Type.Object({ id: EventId, type: Type.Literal(type), at: Iso, data: EVENT_DATA[type] })
}
