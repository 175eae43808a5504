import type { Database, Row } from '@palanquin/db/client'
import { ActivityStatus, PauseMessage } from '@palanquin/domain/activity'
import { Nullable } from '@palanquin/domain/optional'
import type { Role } from '@palanquin/domain/role'
import { Iso, toIso } from '@palanquin/domain/time'
import Type, { type Static } from 'typebox'
import { Compile } from 'typebox/compile'
import { isDue, UNLOCKED_EVENT, unlocking } from '../achievements/due.ts'
import { iso } from '../iso-timestamp.ts'

/** The activity's status, since when, and by which role (null: never changed). */
export const Activity = Type.Object({
  status: ActivityStatus,
  since: Iso,
  by: Nullable(Type.String(), 'the role of the token that changed it; null before the first change'),
})
export type Activity = Static<typeof Activity>

/** With the pause message, if there is one. */
export const AnnouncedActivity = Type.Object({
  ...Activity.properties,
  message: Type.Optional(PauseMessage),
})
export type AnnouncedActivity = Static<typeof AnnouncedActivity>

/** Totals of the activity after the final flush. Kilometres unrounded. */
export const Outcome = Type.Object({
  endedAt: Iso,
  by: Nullable(Type.String(), 'the role of the token that ended it'),
  participants: Type.Integer({ description: 'all participants, whatever their status' }),
  checkins: Type.Integer({ description: 'check-ins of all of them' }),
  points: Type.Integer({ description: 'points that were stored' }),
  distanceKm: Type.Number({ description: 'kilometres that count: walked and motorized' }),
  walkedKm: Type.Number({ description: 'of them at 15 km/h or less' }),
  motorizedKm: Type.Number({ description: 'of them faster' }),
  unlocked: Type.Integer({ description: 'how many unlocked the achievement card' }),
  flushedAt: Iso,
})
export type Outcome = Static<typeof Outcome>

const outcomes = Compile(Outcome)

/** Strictly increasing even when the clock is set back; whole milliseconds. */
const NEXT_SINCE = `greatest(date_trunc('milliseconds', clock_timestamp()), since + interval '1 millisecond')`

const DETAIL = `jsonb_strip_nulls(jsonb_build_object('status', status, 'message', message))`

/** The change, its audit entry and its event in one statement; no row where nothing changed. */
const changing = (condition: string) => `
WITH changed AS (
  UPDATE engagement.activity
  SET status = $1::text, since = ${NEXT_SINCE}, by = $2::text, message = $3::text::jsonb
  WHERE id = 1 AND ${condition}
  RETURNING status, since, by, message
), audited AS (
  INSERT INTO engagement.audit (type, by, at, detail)
  SELECT 'activity.changed', by, since, ${DETAIL} FROM changed
), emitted AS (
  INSERT INTO engagement.outbox (type, data)
  SELECT 'activity.changed', jsonb_build_object('status', status, 'since', ${iso('since')}, 'by', by) FROM changed
)
SELECT status, since, by FROM changed`

const SET = changing(`status NOT IN ('ended', $1::text)`)
const END = changing(`status <> $1::text`)

/** Another message for the present pause; emits no event. */
const REWORD = `
WITH changed AS (
  UPDATE engagement.activity SET message = $1::text::jsonb
  WHERE id = 1 AND status = 'paused' AND message IS DISTINCT FROM $1::text::jsonb
  RETURNING status, message
)
INSERT INTO engagement.audit (type, by, detail) SELECT 'activity.changed', $2::text, ${DETAIL} FROM changed`

/**
 * Stores the outcome and emits `activity.ended`, once. Achievements still due are unlocked in the same statement, so
 * their events precede `activity.ended` even when the consumer of `track.advanced` lags.
 */
const CONCLUDE = `
WITH totals AS (
  SELECT count(*) AS participants, coalesce(sum(t.checkins), 0) AS checkins, coalesce(sum(t.points), 0) AS points,
    coalesce(sum(t.walked_km), 0) AS walked_km, coalesce(sum(t.motorized_km), 0) AS motorized_km,
    count(*) FILTER (WHERE ${isDue('t.checkins')}) AS unlocked
  FROM engagement.participants AS p FULL JOIN tracking.tracks AS t USING (user_id)
), concluded AS (
  UPDATE engagement.activity SET outcome = (
    SELECT jsonb_build_object('endedAt', ${iso('since')}, 'by', by, 'participants', participants,
      'checkins', checkins, 'points', points, 'distanceKm', walked_km + motorized_km, 'walkedKm', walked_km,
      'motorizedKm', motorized_km, 'unlocked', unlocked, 'flushedAt', $1::text)
    FROM totals)
  WHERE id = 1 AND status = 'ended' AND outcome IS NULL
  RETURNING since, by
), audited AS (
  INSERT INTO engagement.audit (type, by) SELECT 'activity.ended', by FROM concluded
), ${unlocking('EXISTS (SELECT FROM concluded)')}
INSERT INTO engagement.outbox (type, data)
SELECT type, data FROM (
  SELECT 1 AS place, 'achievement.unlocked' AS type, ${UNLOCKED_EVENT} AS data FROM unlocked
  UNION ALL
  SELECT 2, 'activity.ended', jsonb_build_object('at', ${iso('since')}, 'by', by) FROM concluded
) AS emitted ORDER BY place`

/** Raw SQL: every service depends on this row, and only `query` replaces stalled connections. */
const READ = 'SELECT status, since, by, message, outcome FROM engagement.activity WHERE id = 1'

/** Sums over a hundred thousand tracks. */
const CONCLUDE_DEADLINE_MS = 10_000

/** The one row of the activity. All throw StoreUnavailable. */
export function activityStore(db: Database) {
  const change = async (
    statement: string,
    { to, by, message = null }: { to: ActivityStatus; by: Role; message?: PauseMessage | null },
  ): Promise<Activity | null> => {
    const [row] = await db.query<ActivityRow>(statement, [to, by, message && JSON.stringify(message)])
    return row ? activityOf(row) : null
  }
  return {
    read: async (): Promise<AnnouncedActivity & { outcome: Outcome | null }> => {
      const [row] = await db.query<ActivityRow>(READ)
      if (!row) throw new Error('the activity has no row')
      const outcome = outcomes.Check(row.outcome) ? row.outcome : null
      const message = messages.Check(row.message) ? { message: row.message } : {}
      return { ...activityOf(row), ...message, outcome }
    },
    /** Pauses or resumes; null where nothing changes, or the activity has ended. */
    set: (to: 'active' | 'paused', by: Role, message: PauseMessage | null) =>
      change(SET, { to, by, message }),
    /** Changes the message of a pause. */
    reword: async (message: PauseMessage | null, by: Role): Promise<void> => {
      await db.query(REWORD, [message && JSON.stringify(message), by])
    },
    /** Null where the activity has ended already. */
    end: (by: Role) => change(END, { to: 'ended', by }),
    conclude: async (flushedAt: string): Promise<void> => {
      await db.query(CONCLUDE, [flushedAt], { deadlineMs: CONCLUDE_DEADLINE_MS })
    },
  }
}

export type ActivityStore = ReturnType<typeof activityStore>

type ActivityRow = Row & {
  status: unknown
  since: Date
  by: string | null
  message?: unknown
  outcome?: unknown
}

const statuses = Compile(ActivityStatus)
const messages = Compile(PauseMessage)

function activityOf({ status, since, by }: { status: unknown; since: Date; by: string | null }): Activity {
  if (!statuses.Check(status)) throw new Error('the activity has an unknown status')
  return { status, since: toIso(since.getTime()), by }
}
