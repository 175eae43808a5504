import {
  bigint,
  boolean,
  integer,
  json,
  jsonb,
  pgSchema,
  primaryKey,
  smallint,
  text,
  timestamp,
  uuid,
} from 'drizzle-orm/pg-core'

const timestamptz = (name: string) => timestamp(name, { withTimezone: true, mode: 'date' })

export const line = pgSchema('line')

/** Who talks to us through the chat platform. */
export const lineUsers = line.table('users', {
  userId: text('user_id').primaryKey(),
  following: boolean('following').notNull().default(true),
  followingMs: bigint('following_ms', { mode: 'number' }).notNull().default(0),
  notifications: boolean('notifications').notNull().default(true),
  notificationsMs: bigint('notifications_ms', { mode: 'number' }).notNull().default(0),
  blockedAt: timestamptz('blocked_at'),
  profileLanguage: text('profile_language'),
  updatedAt: timestamptz('updated_at').notNull().defaultNow(),
})

/** Messages to many. `cause` makes a push once. */
export const pushes = line.table('pushes', {
  id: uuid('id').primaryKey().defaultRandom(),
  cause: text('cause').notNull().unique(),
  by: text('by').notNull(),
  audience: jsonb('audience').notNull(),
  messages: jsonb('messages').notNull(),
  personal: text('personal'),
  urgent: boolean('urgent').notNull().default(false),
  honoursStop: boolean('honours_stop').notNull().default(true),
  scheduledAt: timestamptz('scheduled_at'),
  createdAt: timestamptz('created_at').notNull().defaultNow(),
  releasedAt: timestamptz('released_at'),
  finishedAt: timestamptz('finished_at'),
  recipients: integer('recipients').notNull().default(0),
  failed: integer('failed').notNull().default(0),
  blocked: integer('blocked').notNull().default(0),
  skipped: integer('skipped').notNull().default(0),
})

/** What is sent by one call of the platform. */
export const pushChunks = line.table(
  'push_chunks',
  {
    pushId: uuid('push_id').notNull(),
    chunk: integer('chunk').notNull(),
    userIds: text('user_ids').array().notNull(),
    language: text('language'),
    priority: smallint('priority').notNull().default(0),
    state: text('state').notNull().default('waiting'),
    sent: integer('sent').notNull().default(0),
    failed: integer('failed').notNull().default(0),
    blocked: integer('blocked').notNull().default(0),
    skipped: integer('skipped').notNull().default(0),
    attempts: integer('attempts').notNull().default(0),
    notBefore: timestamptz('not_before').notNull().defaultNow(),
    firstAt: timestamptz('first_at'),
    requestId: text('request_id'),
    reason: text('reason'),
  },
  (table) => [primaryKey({ columns: [table.pushId, table.chunk] })],
)

/** The alerts that the owners were sent. */
export const alerts = line.table('alerts', {
  id: smallint('id').primaryKey().default(1),
  rev: bigint('rev', { mode: 'number' }).notNull().default(0),
  state: jsonb('state').notNull().default({}),
})

/** Cases of lost and found that people are to be notified of; `settledAt` once they are. */
export const lostAlerts = line.table('lost_alerts', {
  eventId: uuid('event_id').primaryKey(),
  caseId: uuid('case_id').notNull(),
  /** Which message carries it; null while it waits, or where nobody needs to hear of it. */
  messageId: uuid('message_id'),
  at: timestamptz('at').notNull().defaultNow(),
  settledAt: timestamptz('settled_at'),
})

/** Who was notified of which case. */
export const lostNotified = line.table(
  'lost_notified',
  {
    caseId: uuid('case_id').notNull(),
    userId: text('user_id').notNull(),
    eventId: uuid('event_id').notNull(),
    at: timestamptz('at').notNull().defaultNow(),
  },
  (table) => [primaryKey({ columns: [table.caseId, table.userId] })],
)

/** Copies of webhook events until they are handled. */
export const lineInbox = line.table('inbox', {
  id: text('id').primaryKey(),
  userId: text('user_id'),
  event: json('event').notNull(),
  takenAt: timestamptz('taken_at').notNull().defaultNow(),
})

/** Events that wait for the relay. */
export const lineOutbox = line.table('outbox', {
  seq: bigint('seq', { mode: 'number' }).generatedAlwaysAsIdentity().primaryKey(),
  id: uuid('id').notNull().defaultRandom(),
  type: text('type').notNull(),
  at: timestamptz('at').notNull().defaultNow(),
  data: jsonb('data').notNull(),
})

/** Events whose effect stands. */
export const lineProcessed = line.table('processed_events', {
  eventId: uuid('event_id').primaryKey(),
  at: timestamptz('at').notNull().defaultNow(),
})
