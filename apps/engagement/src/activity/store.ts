import type { Database } from '@palanquin/db/client'
import { Nullable as NullableColumn, Timestamp } from '@palanquin/db/rows'
import { activity } from '@palanquin/db/schema/engagement'
import { ActivityStatus, PauseMessage } from '@palanquin/domain/activity'
import { Nullable } from '@palanquin/domain/optional'
import { Iso, toIso } from '@palanquin/domain/time'
import { eq } from 'drizzle-orm'
import Type, { type Static } from 'typebox'
import { Compile } from 'typebox/compile'
import { CONCLUDE, END, REWORD, SET } from './sql.ts'

/** The activity's status, since when, and by whom (null: never changed). */
export const Activity = Type.Object({
  status: ActivityStatus,
  since: Iso,
  by: Nullable(
    Type.String(),
    'the person who changed it, or the role of the token; null before the first change',
  ),
})
export type Activity = Static<typeof Activity>

/** With the pause message, if there is one. */
export const AnnouncedActivity = Type.Object({ ...Activity.properties, message: Type.Optional(PauseMessage) })
export type AnnouncedActivity = Static<typeof AnnouncedActivity>

/** Totals of the activity after the final flush. Kilometres unrounded. */
export const Outcome = Type.Object({
  endedAt: Iso,
  by: Nullable(Type.String(), 'the person who ended it, or the role of the token'),
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
const messages = Compile(PauseMessage)

const ChangedRow = Type.Object({
  status: ActivityStatus,
  since: Timestamp,
  by: NullableColumn(Type.String()),
})
type ChangedRow = Static<typeof ChangedRow>

/** Sums over a hundred thousand tracks. */
const CONCLUDE_DEADLINE_MS = 10_000

/** The one row of the activity. All throw StoreUnavailable. */
export function activityStore(db: Database) {
  const change = async (
    statement: string,
    { to, by, message = null }: { to: ActivityStatus; by: string; message?: PauseMessage | null },
  ): Promise<Activity | null> => {
    const [row] = await db.queryAs(ChangedRow, statement, [to, by, message && JSON.stringify(message)])
    return row ? activityOf(row) : null
  }
  return {
    read: async (): Promise<AnnouncedActivity & { outcome: Outcome | null }> => {
      const [row] = await db.orm((orm) => orm.select().from(activity).where(eq(activity.id, 1)))
      if (!row) throw new Error('the activity has no row')
      const outcome = outcomes.Check(row.outcome) ? row.outcome : null
      const message = messages.Check(row.message) ? { message: row.message } : {}
      return { ...activityOf(row), ...message, outcome }
    },
    /** Pauses or resumes; null where nothing changes, or the activity has ended. */
    set: (to: 'active' | 'paused', by: string, message: PauseMessage | null) =>
      change(SET, { to, by, message }),
    /** Changes the message of a pause. */
    reword: async (message: PauseMessage | null, by: string): Promise<void> => {
      await db.query(REWORD, [message && JSON.stringify(message), by])
    },
    /** Null where the activity has ended already. */
    end: (by: string) => change(END, { to: 'ended', by }),
    conclude: async (flushedAt: string): Promise<void> => {
      await db.query(CONCLUDE, [flushedAt], { deadlineMs: CONCLUDE_DEADLINE_MS })
    },
  }
}

export type ActivityStore = ReturnType<typeof activityStore>

const activityOf = ({ status, since, by }: ChangedRow): Activity => ({
  status,
  since: toIso(since.getTime()),
  by,
})
