import type { Database } from '@palanquin/db/client'
import Type, { type Static } from 'typebox'
import { isLineId } from '../push/audience.ts'

/** One pass; the rest follows with the next. */
const PER_PASS = 50

const Alert = Type.Object({ eventId: Type.String(), caseId: Type.String(), isLate: Type.Boolean() })
export type Alert = Static<typeof Alert>
const Person = Type.Object({ userId: Type.String() })
const Count = Type.Object({ count: Type.Integer() })

/** After a day an alert is of no use to volunteers. */
const WAITING = `
SELECT event_id AS "eventId", case_id AS "caseId", at < now() - interval '1 day' AS "isLate"
  FROM line.lost_alerts WHERE settled_at IS NULL ORDER BY at LIMIT ${PER_PASS}`

const VOLUNTEERS = `
SELECT user_id AS "userId" FROM engagement.roles WHERE role = 'volunteer' AND ${isLineId('user_id')} ORDER BY user_id`

const CLAIM = `
INSERT INTO line.lost_notified (case_id, user_id, event_id)
SELECT $1::text::uuid, user_id, $2::text::uuid FROM unnest($3::text[]) AS near (user_id) ON CONFLICT DO NOTHING`

const CLAIMED = `
SELECT user_id AS "userId" FROM line.lost_notified
 WHERE case_id = $1::text::uuid AND event_id = $2::text::uuid ORDER BY user_id`

const OTHERS_OF_HOUR = `
SELECT count(DISTINCT case_id)::int AS count FROM line.lost_alerts
 WHERE settled_at > now() - interval '1 hour' AND case_id <> $1::text::uuid`

/** As long as cases are kept. */
const FORGET = `
WITH alerts AS (DELETE FROM line.lost_alerts WHERE settled_at < now() - interval '30 days')
DELETE FROM line.lost_notified WHERE at < now() - interval '30 days'`

/** Which cases volunteers are to be notified of, and who was. All throw StoreUnavailable. */
export function lostAlertStore(db: Pick<Database, 'query' | 'queryAs'>) {
  return {
    /** Idempotent: an event that is delivered again is the same alert. */
    add: async (eventId: string, caseId: string): Promise<void> => {
      await db.query(
        'INSERT INTO line.lost_alerts (event_id, case_id) VALUES ($1::text::uuid, $2::text::uuid) ON CONFLICT DO NOTHING',
        [eventId, caseId],
      )
    },
    /** The oldest first. */
    waiting: (): Promise<Alert[]> => db.queryAs(Alert, WAITING),
    settle: async (eventId: string): Promise<void> => {
      await db.query('UPDATE line.lost_alerts SET settled_at = now() WHERE event_id = $1::text::uuid', [
        eventId,
      ])
    },
    /** Volunteers whom LINE can reach by their id. */
    volunteers: async (): Promise<string[]> =>
      (await db.queryAs(Person, VOLUNTEERS)).map(({ userId }) => userId),
    /** Whom this alert is to reach: those near the case whom no earlier alert of it has. The same when called again. */
    claim: async ({ eventId, caseId }: Alert, near: readonly string[]): Promise<string[]> => {
      await db.query(CLAIM, [caseId, eventId, near])
      return (await db.queryAs(Person, CLAIMED, [caseId, eventId])).map(({ userId }) => userId)
    },
    /** How many other cases volunteers were notified of within the last hour. */
    othersOfHour: async (caseId: string): Promise<number> =>
      (await db.queryAs(Count, OTHERS_OF_HOUR, [caseId]))[0]?.count ?? 0,
    /** Takes a user out of the lists of who was notified. */
    erase: async (userId: string): Promise<number> =>
      (
        await db.queryAs(
          Person,
          'DELETE FROM line.lost_notified WHERE user_id = $1 RETURNING user_id AS "userId"',
          [userId],
        )
      ).length,
    forget: async (): Promise<void> => {
      await db.query(FORGET)
    },
  }
}

export type LostAlertStore = ReturnType<typeof lostAlertStore>
