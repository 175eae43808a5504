import { ACTIVITY_STATUSES } from '@palanquin/domain/activity'
import { FEEDBACK_CATEGORIES, FEEDBACK_STATUSES } from '@palanquin/domain/feedback'
import { NOTICE_LEVELS, PLACE_KINDS, type RouteLines } from '@palanquin/domain/guide'
import { LANGUAGES } from '@palanquin/domain/language'
import { LOST_KINDS, LOST_STATUSES } from '@palanquin/domain/lost'
import { PARTICIPANT_STATUSES, VISIBILITIES } from '@palanquin/domain/participant'
import { PHONE_APPS } from '@palanquin/domain/phone-apps'
import { ROLES } from '@palanquin/domain/role'
import { SESSION_KINDS } from '@palanquin/domain/session'
import { sql } from 'drizzle-orm'
import {
  bigint,
  boolean,
  customType,
  doublePrecision,
  integer,
  jsonb,
  pgSchema,
  smallint,
  text,
  timestamp,
  uuid,
} from 'drizzle-orm/pg-core'

const timestamptz = (name: string) => timestamp(name, { withTimezone: true, mode: 'date' })
const identity = (name: string) => bigint(name, { mode: 'number' }).generatedAlwaysAsIdentity()
const bytes = customType<{ data: Uint8Array }>({ dataType: () => 'bytea' })

export const engagement = pgSchema('engagement')

/** Participants. Written by the engagement service. */
export const participants = engagement.table('participants', {
  userId: text('user_id').primaryKey(),
  displayName: text('display_name'),
  pictureUrl: text('picture_url'),
  language: text('language', { enum: LANGUAGES }).notNull().default('zh-TW'),
  status: text('status', { enum: PARTICIPANT_STATUSES }).notNull().default('active'),
  consent: boolean('consent').notNull().default(false),
  consentVersion: text('consent_version'),
  consentAt: timestamptz('consent_at'),
  visibility: text('visibility', { enum: VISIBILITIES }).notNull().default('named'),
  publicVersion: integer('public_version').notNull().default(sql`floor(random() * 2000000)::integer * 1024`),
  phone: text('phone'),
  surveyCompletedAt: timestamptz('survey_completed_at'),
  survey: jsonb('survey'),
  surveyFirstAt: timestamptz('survey_first_at'),
  achievementUnlockedAt: timestamptz('achievement_unlocked_at'),
  createdAt: timestamptz('created_at').notNull().defaultNow(),
  updatedAt: timestamptz('updated_at').notNull().defaultNow(),
})

/** Every change of a privacy consent, with its time. */
export const consentHistory = engagement.table('consent_history', {
  id: identity('id').primaryKey(),
  userId: text('user_id').notNull(),
  consent: boolean('consent').notNull(),
  version: text('version'),
  recordedAt: timestamptz('recorded_at').notNull().defaultNow(),
  visibility: text('visibility', { enum: VISIBILITIES }).notNull().default('named'),
})

/** Every submission of the survey that changed something, the replaced ones too. */
export const surveyHistory = engagement.table('survey_history', {
  id: identity('id').primaryKey(),
  userId: text('user_id').notNull(),
  answers: jsonb('answers').notNull(),
  submittedAt: timestamptz('submitted_at').notNull().defaultNow(),
})

/** Feedback of participants, and what became of it. `editTokenHash`: SHA-256 of the author's token. */
export const feedback = engagement.table('feedback', {
  id: uuid('id').primaryKey().defaultRandom(),
  seq: identity('seq'),
  userId: text('user_id'),
  category: text('category', { enum: FEEDBACK_CATEGORIES }).notNull(),
  message: text('message').notNull(),
  screenshot: text('screenshot'),
  status: text('status', { enum: FEEDBACK_STATUSES }).notNull().default('open'),
  reply: text('reply'),
  editTokenHash: bytes('edit_token_hash').notNull(),
  createdAt: timestamptz('created_at').notNull().defaultNow(),
  updatedAt: timestamptz('updated_at').notNull().defaultNow(),
})

/** Reports of people who are missing, or were found. */
export const lostCases = engagement.table('lost_cases', {
  id: uuid('id').primaryKey().defaultRandom(),
  seq: identity('seq'),
  kind: text('kind', { enum: LOST_KINDS }).notNull(),
  about: text('about').notNull(),
  phone: text('phone'),
  lat: doublePrecision('lat'),
  lng: doublePrecision('lng'),
  photo: text('photo'),
  userId: text('user_id'),
  status: text('status', { enum: LOST_STATUSES }).notNull().default('open'),
  takenBy: text('taken_by'),
  notes: text('notes'),
  reply: text('reply'),
  editTokenHash: bytes('edit_token_hash'),
  createdAt: timestamptz('created_at').notNull().defaultNow(),
  updatedAt: timestamptz('updated_at').notNull().defaultNow(),
  closedAt: timestamptz('closed_at'),
})

/** The staff's roles in the chat platform: who gets which messages. */
export const roles = engagement.table('roles', {
  userId: text('user_id').primaryKey(),
  role: text('role', { enum: ROLES }).notNull(),
  givenBy: text('given_by').notNull(),
  givenAt: timestamptz('given_at').notNull().defaultNow(),
})

/** One row: the activity's status. */
export const activity = engagement.table('activity', {
  id: smallint('id').primaryKey().default(1),
  status: text('status', { enum: ACTIVITY_STATUSES }).notNull().default('active'),
  since: timestamptz('since').notNull().defaultNow(),
  by: text('by'),
  outcome: jsonb('outcome'),
  message: jsonb('message'),
})

/** What administrators did. */
export const audit = engagement.table('audit', {
  id: identity('id').primaryKey(),
  at: timestamptz('at').notNull().defaultNow(),
  type: text('type').notNull(),
  by: text('by').notNull(),
  detail: jsonb('detail').notNull().default({}),
})

/** Events that wait for the relay; written in the statement of the state change that they report. */
export const engagementOutbox = engagement.table('outbox', {
  seq: identity('seq').primaryKey(),
  id: uuid('id').notNull().defaultRandom(),
  type: text('type').notNull(),
  at: timestamptz('at').notNull().defaultNow(),
  data: jsonb('data').notNull(),
})

/** Events whose effect stands; written in the statement of the effect. */
export const engagementProcessed = engagement.table('processed_events', {
  eventId: uuid('event_id').primaryKey(),
  at: timestamptz('at').notNull().defaultNow(),
})

/** Services on the way that organisers show on the map. */
export const places = engagement.table('places', {
  id: uuid('id').primaryKey().defaultRandom(),
  kind: text('kind', { enum: PLACE_KINDS }).notNull(),
  nameZh: text('name_zh').notNull(),
  nameEn: text('name_en').notNull(),
  noteZh: text('note_zh'),
  noteEn: text('note_en'),
  lat: doublePrecision('lat').notNull(),
  lng: doublePrecision('lng').notNull(),
  createdAt: timestamptz('created_at').notNull().defaultNow(),
})

/** What organisers announce to everybody. */
export const notices = engagement.table('notices', {
  id: uuid('id').primaryKey().defaultRandom(),
  at: timestamptz('at').notNull().defaultNow(),
  level: text('level', { enum: NOTICE_LEVELS }).notNull(),
  zh: text('zh').notNull(),
  en: text('en').notNull(),
  until: timestamptz('until'),
})

/** The planned or walked way: one row at most. */
export const route = engagement.table('route', {
  onlyOne: boolean('only_one').primaryKey().default(true),
  lines: jsonb('lines').$type<RouteLines>().notNull(),
  updatedAt: timestamptz('updated_at').notNull().defaultNow(),
})

/** What owners set while the services run: one row. */
export const settings = engagement.table('settings', {
  onlyOne: boolean('only_one').primaryKey().default(true),
  settings: jsonb('settings').notNull().default({}),
  updatedAt: timestamptz('updated_at').notNull().defaultNow(),
})

/** Who is signed in: the SHA-256 of each session's token. */
export const sessions = engagement.table('sessions', {
  tokenHash: text('token_hash').primaryKey(),
  kind: text('kind', { enum: SESSION_KINDS }).notNull(),
  userId: text('user_id'),
  adminKey: text('admin_key'),
  adminRole: text('admin_role', { enum: ROLES }),
  isStaff: boolean('is_staff').notNull().default(false),
  createdAt: timestamptz('created_at').notNull().defaultNow(),
  expiresAt: timestamptz('expires_at').notNull(),
  endedAt: timestamptz('ended_at'),
  id: uuid('id').notNull().defaultRandom(),
  lastSeenAt: timestamptz('last_seen_at').notNull().defaultNow(),
  device: text('device'),
})

/** What moves a device's walk to another phone: the SHA-256 of a code that is used once. */
export const recoveryCodes = engagement.table('recovery_codes', {
  userId: text('user_id').primaryKey(),
  codeHash: text('code_hash').notNull().unique(),
  createdAt: timestamptz('created_at').notNull().defaultNow(),
  /** The last use of a code: which, by whose attempt, and the session that it began. */
  usedCodeHash: text('used_code_hash'),
  attemptHash: text('attempt_hash'),
  attemptedAt: timestamptz('attempted_at'),
  sessionHash: text('session_hash'),
})

/** Sessions that ended or changed lately, for the gateways that keep them in memory. */
export const sessionChanges = engagement.table('session_changes', {
  id: identity('id').primaryKey(),
  tokenHash: text('token_hash').notNull(),
  at: timestamptz('at').notNull().defaultNow(),
})

/** Devices whose walk was joined to a LINE id; `finishedAt` is null while a service is not done. */
export const links = engagement.table('links', {
  deviceId: text('device_id').primaryKey(),
  userId: text('user_id').notNull(),
  linkedAt: timestamptz('linked_at').notNull().defaultNow(),
  finishedAt: timestamptz('finished_at'),
})

/** The apps on people's phones that send positions in their name. */
export const devices = engagement.table('devices', {
  deviceId: uuid('device_id').primaryKey().defaultRandom(),
  userId: text('user_id').notNull(),
  slot: smallint('slot').notNull(),
  app: text('app', { enum: PHONE_APPS }).notNull(),
  name: text('name'),
  createdAt: timestamptz('created_at').notNull().defaultNow(),
})

/** The SHA-256 of the devices' write tokens; one that was rotated expires. */
export const deviceTokens = engagement.table('device_tokens', {
  tokenHash: text('token_hash').primaryKey(),
  deviceId: uuid('device_id')
    .notNull()
    .references(() => devices.deviceId, { onDelete: 'cascade' }),
  expiresAt: timestamptz('expires_at'),
})

/** Links by which phone apps are set up, by the SHA-256 of their codes. */
export const setupLinks = engagement.table('setup_links', {
  codeHash: text('code_hash').primaryKey(),
  userId: text('user_id').notNull(),
  name: text('name'),
  madeBy: text('made_by'),
  expiresAt: timestamptz('expires_at').notNull(),
  keyHash: text('key_hash'),
  deviceId: uuid('device_id'),
})

/** Links by which families see where somebody is. One without `ended_at` may have expired. */
export const shares = engagement.table('shares', {
  token: text('token').primaryKey(),
  userId: text('user_id').notNull(),
  createdAt: timestamptz('created_at').notNull().defaultNow(),
  expiresAt: timestamptz('expires_at').notNull(),
  endedAt: timestamptz('ended_at'),
})
