import { sql } from 'drizzle-orm'
import {
  bigint,
  boolean,
  doublePrecision,
  integer,
  jsonb,
  pgSchema,
  text,
  timestamp,
  uuid,
} from 'drizzle-orm/pg-core'

const timestamptz = (name: string) => timestamp(name, { withTimezone: true, mode: 'date' })

export const media = pgSchema('media')

/** Pictures that participants sent; the bodies are in the object store. */
export const photos = media.table('photos', {
  id: uuid('id').primaryKey().defaultRandom(),
  userId: text('user_id').notNull(),
  objectKey: text('object_key').notNull().unique(),
  createdAt: timestamptz('created_at').notNull().defaultNow(),
  /** The message that it came in: one photo, however often that is delivered. */
  messageId: text('message_id').unique(),
  lat: doublePrecision('lat'),
  lng: doublePrecision('lng'),
  takenAt: timestamptz('taken_at'),
})

/** How many photos a participant has. */
export const photoCounts = media.table('photo_counts', {
  userId: text('user_id').primaryKey(),
  photos: integer('photos').notNull(),
})

/** Objects that nothing refers to any more, until they are deleted from the object store. */
export const discardedObjects = media.table('discarded_objects', {
  objectKey: text('object_key').primaryKey(),
  at: timestamptz('at').notNull().defaultNow(),
})

/** Screenshots of feedback, cleaned. `filename` is made up by us and stands in the public address. */
export const screenshots = media.table('screenshots', {
  filename: text('filename').primaryKey(),
  objectKey: text('object_key').notNull().unique(),
  userId: text('user_id'),
  width: integer('width').notNull(),
  height: integer('height').notNull(),
  bytes: integer('bytes').notNull(),
  createdAt: timestamptz('created_at').notNull().defaultNow(),
})

/** The share card that stands for a participant now. */
export const cards = media.table('cards', {
  userId: text('user_id').primaryKey(),
  contentKey: text('content_key').notNull(),
  objectKey: text('object_key').notNull(),
  etag: text('etag').notNull(),
  generatedAt: timestamptz('generated_at').notNull().defaultNow(),
})

/** By which a card is handed on: an address that does not say whose it is. */
export const cardShares = media.table('card_shares', {
  shareId: text('share_id').primaryKey(),
  userId: text('user_id').notNull(),
  /** Of a device that was joined to this person. */
  joined: boolean('joined').notNull().default(false),
  createdAt: timestamptz('created_at').notNull().defaultNow(),
})

/** Objects of cards that no row of cards points to: on their way in, or on their way out. */
export const cardLeftovers = media.table('card_leftovers', {
  objectKey: text('object_key').primaryKey(),
  userId: text('user_id'),
  at: timestamptz('at').notNull().defaultNow(),
  doomed: boolean('doomed').notNull().default(false),
})

/** Cards to be made ahead of a request. */
export const cardOrders = media.table('card_orders', {
  userId: text('user_id').primaryKey(),
  askedAt: timestamptz('asked_at').notNull().defaultNow(),
  leasedUntil: timestamptz('leased_until').notNull().default(sql`'-infinity'`),
  tries: integer('tries').notNull().default(0),
})

/** Events that wait for the relay. */
export const mediaOutbox = media.table('outbox', {
  seq: bigint('seq', { mode: 'number' }).generatedAlwaysAsIdentity().primaryKey(),
  id: uuid('id').notNull().defaultRandom(),
  type: text('type').notNull(),
  at: timestamptz('at').notNull().defaultNow(),
  data: jsonb('data').notNull(),
})

/** Events whose effect stands. */
export const mediaProcessed = media.table('processed_events', {
  eventId: uuid('event_id').primaryKey(),
  at: timestamptz('at').notNull().defaultNow(),
})
