import { BEACON_KINDS } from '@palanquin/domain/beacon'
import { sql } from 'drizzle-orm'
import {
  bigint,
  boolean,
  date,
  doublePrecision,
  integer,
  json,
  jsonb,
  pgSchema,
  primaryKey,
  real,
  smallint,
  text,
  timestamp,
  uuid,
} from 'drizzle-orm/pg-core'

const timestamptz = (name: string) => timestamp(name, { withTimezone: true, mode: 'date' })

export const tracking = pgSchema('tracking')

const pointColumns = () => ({
  userId: text('user_id').notNull(),
  recordedAt: timestamptz('recorded_at').notNull(),
  kind: smallint('kind').notNull(),
  lat: doublePrecision('lat').notNull(),
  lng: doublePrecision('lng').notNull(),
  accuracy: doublePrecision('accuracy'),
  speed: doublePrecision('speed'),
  altitude: real('altitude'),
  heading: real('heading'),
  source: text('source').notNull(),
  note: text('note'),
  receivedAt: timestamptz('received_at').notNull(),
  battery: smallint('battery'),
})

/** Every accepted point, raw, partitioned by UTC day. `kind` 0 is a check-in, 1 a track point. */
export const points = tracking.table('points', pointColumns(), (table) => [
  primaryKey({ columns: [table.userId, table.recordedAt, table.kind] }),
])

/** What devices sent while they carried a beacon: in no figure. */
export const carriedPoints = tracking.table('carried_points', pointColumns(), (table) => [
  primaryKey({ columns: [table.userId, table.recordedAt, table.kind] }),
])

/** How far each shard of the buffer has been stored. */
export const flushCursors = tracking.table('flush_cursors', {
  shard: smallint('shard').primaryKey(),
  cursor: text('cursor').notNull().default('0-0'),
  version: bigint('version', { mode: 'number' }).notNull().default(0),
  packedUntil: timestamptz('packed_until').notNull().default(sql`'-infinity'`),
})

/** The running state of a participant's distance, and the latest position. */
export const tracks = tracking.table('tracks', {
  userId: text('user_id').primaryKey(),
  shard: smallint('shard').notNull(),
  version: bigint('version', { mode: 'number' }).notNull(),
  walkedKm: doublePrecision('walked_km').notNull().default(0),
  motorizedKm: doublePrecision('motorized_km').notNull().default(0),
  points: integer('points').notNull().default(0),
  checkins: integer('checkins').notNull().default(0),
  state: text('state').notNull(),
  lastLat: doublePrecision('last_lat'),
  lastLng: doublePrecision('last_lng'),
  lastAt: timestamptz('last_at'),
  lastAccuracy: doublePrecision('last_accuracy'),
  movedId: text('moved_id'),
  lastSeenAt: timestamptz('last_seen_at').notNull(),
  needsRebuild: boolean('needs_rebuild').notNull().default(false),
  rebuildFrom: timestamptz('rebuild_from'),
  rebuildMarkedAt: timestamptz('rebuild_marked_at'),
  firstAt: timestamptz('first_at').defaultNow(),
})

/** Tracks as they were after so many points: where a rebuild goes on from. */
export const checkpoints = tracking.table(
  'checkpoints',
  {
    userId: text('user_id').notNull(),
    at: timestamptz('at').notNull(),
    openFrom: timestamptz('open_from').notNull(),
    state: jsonb('state').notNull(),
  },
  (table) => [primaryKey({ columns: [table.userId, table.at] })],
)

/** Buffer entries that could not be stored, with the reason. */
export const setAside = tracking.table(
  'set_aside',
  {
    shard: smallint('shard').notNull(),
    entryId: text('entry_id').notNull(),
    position: integer('position').notNull(),
    at: timestamptz('at').notNull().defaultNow(),
    reason: text('reason').notNull(),
    entry: jsonb('entry').notNull(),
  },
  (table) => [primaryKey({ columns: [table.shard, table.entryId, table.position] })],
)

const km = (name: string) => doublePrecision(name).notNull().default(0)
const total = (name: string) => bigint(name, { mode: 'number' }).notNull().default(0)

/** Points and kilometres by hour of `EVENT_TIMEZONE`; `day` is the day of that hour there. */
export const participantHours = tracking.table(
  'participant_hours',
  {
    userId: text('user_id').notNull(),
    hour: timestamptz('hour').notNull(),
    day: date('day').notNull(),
    points: integer('points').notNull().default(0),
    checkins: integer('checkins').notNull().default(0),
    walkedKm: km('walked_km'),
    motorizedKm: km('motorized_km'),
  },
  (table) => [primaryKey({ columns: [table.userId, table.hour] })],
)

/** Their sums by shard, and how many participants had a point in the hour. */
export const hours = tracking.table(
  'hours',
  {
    shard: smallint('shard').notNull(),
    hour: timestamptz('hour').notNull(),
    points: total('points'),
    checkins: total('checkins'),
    walkedKm: km('walked_km'),
    motorizedKm: km('motorized_km'),
    active: integer('active').notNull().default(0),
  },
  (table) => [primaryKey({ columns: [table.hour, table.shard] })],
)

/** How many participants had a point on a day of `EVENT_TIMEZONE`, by shard. */
export const days = tracking.table(
  'days',
  {
    shard: smallint('shard').notNull(),
    day: date('day').notNull(),
    active: integer('active').notNull().default(0),
  },
  (table) => [primaryKey({ columns: [table.day, table.shard] })],
)

/** Points counted by grid cell of `ROLLUP_LEVEL`, by shard. */
export const cells = tracking.table(
  'cells',
  {
    shard: smallint('shard').notNull(),
    latCell: integer('lat_cell').notNull(),
    lngCell: integer('lng_cell').notNull(),
    points: total('points'),
    sumLat: km('sum_lat'),
    sumLng: km('sum_lng'),
  },
  (table) => [primaryKey({ columns: [table.latCell, table.lngCell, table.shard] })],
)

/** Who was erased and when; `token` is a keyed hash of the userId. */
export const erasures = tracking.table('erasures', {
  token: text('mark').primaryKey(),
  shard: smallint('shard').notNull(),
  at: timestamptz('at').notNull(),
})

/** Events that wait for the relay. */
export const trackingOutbox = tracking.table('outbox', {
  seq: bigint('seq', { mode: 'number' }).generatedAlwaysAsIdentity().primaryKey(),
  id: uuid('id').notNull().defaultRandom(),
  type: text('type').notNull(),
  at: timestamptz('at').notNull().defaultNow(),
  data: json('data').notNull(),
})

/** Events whose effect stands. */
export const trackingProcessed = tracking.table('processed_events', {
  eventId: uuid('event_id').primaryKey(),
  at: timestamptz('at').notNull().defaultNow(),
})

/** The palanquin and the vehicles of the procession. */
export const beacons = tracking.table('beacons', {
  id: uuid('id').primaryKey().defaultRandom(),
  kind: text('kind', { enum: BEACON_KINDS }).notNull(),
  nameZh: text('name_zh').notNull(),
  nameEn: text('name_en').notNull(),
  createdAt: timestamptz('created_at').notNull().defaultNow(),
})

/** Which devices carry a beacon in turn; a device carries one at most. */
export const beaconDevices = tracking.table('beacon_devices', {
  userId: text('user_id').primaryKey(),
  beaconId: uuid('beacon_id')
    .notNull()
    .references(() => beacons.id, { onDelete: 'cascade' }),
  since: timestamptz('since').notNull().defaultNow(),
})

/** When devices carried a beacon that they no longer carry; the view `tracking.carrying` has all. */
export const carriedSpans = tracking.table(
  'carried_spans',
  {
    userId: text('user_id').notNull(),
    since: timestamptz('since').notNull(),
    until: timestamptz('until').notNull(),
  },
  (table) => [primaryKey({ columns: [table.userId, table.since] })],
)
