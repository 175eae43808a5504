import type { Database } from '@palanquin/db/client'
import Type, { type Static } from 'typebox'
import { isLineId } from '../push/audience.ts'

/** Their lines fit into the five texts of one message; the rest follows a minute later. */
export const CASES_PER_MESSAGE_MAX = 100

const Alert = Type.Object({
  messageId: Type.String(),
  eventId: Type.String(),
  caseId: Type.String(),
  isLate: Type.Boolean(),
  /** It had to wait for the minute of an earlier message. */
  isHeld: Type.Boolean(),
})
export type Alert = Static<typeof Alert>
const Person = Type.Object({ userId: Type.String() })
const Recipient = Type.Object({ userId: Type.String(), isOwner: Type.Boolean() })
type Recipient = Static<typeof Recipient>
const Count = Type.Object({ count: Type.Integer() })
const Held = Type.Object({ isHeld: Type.Boolean() })

/** SQL: whether a message went out within the minute before a time. */
const heldAt = (at: string) => `EXISTS (
  SELECT FROM line.lost_alerts AS sent
   WHERE sent.message_id IS NOT NULL AND sent.settled_at > ${at} - interval '1 minute')`

/** Puts what waits into the next message, once the last one is a minute old. */
const GATHER = `
UPDATE line.lost_alerts SET message_id = $1::text::uuid
 WHERE event_id IN (
         SELECT event_id FROM line.lost_alerts WHERE settled_at IS NULL AND message_id IS NULL
          ORDER BY at LIMIT ${CASES_PER_MESSAGE_MAX} FOR UPDATE SKIP LOCKED)
   AND NOT EXISTS (SELECT FROM line.lost_alerts WHERE message_id IS NOT NULL AND settled_at IS NULL)
   AND NOT ${heldAt('now()')}`

/** After a day an alert is of no use to volunteers. */
const NEXT = `
SELECT message_id AS "messageId", event_id AS "eventId", case_id AS "caseId",
  at < now() - interval '1 day' AS "isLate", ${heldAt('a.at')} AS "isHeld"
  FROM line.lost_alerts AS a
 WHERE message_id = (SELECT message_id FROM line.lost_alerts
                      WHERE message_id IS NOT NULL AND settled_at IS NULL ORDER BY at LIMIT 1)
   AND settled_at IS NULL
 ORDER BY at, event_id`

const WAITING = `
SELECT count(*)::int AS count FROM line.lost_alerts WHERE settled_at IS NULL AND message_id IS NULL`

const RECIPIENTS = `
SELECT r.user_id AS "userId", r.role = 'owner' AS "isOwner"
  FROM engagement.roles AS r LEFT JOIN line.users AS u USING (user_id)
 WHERE r.role IN ('volunteer', 'owner') AND ${isLineId('r.user_id')}
   AND coalesce(u.following AND u.blocked_at IS NULL, true)
 ORDER BY r.user_id`

const CLAIM = `
INSERT INTO line.lost_notified (case_id, user_id, event_id)
SELECT $1::text::uuid, user_id, $2::text::uuid FROM unnest($3::text[]) AS named (user_id) ON CONFLICT DO NOTHING`

const CLAIMED = `
SELECT user_id AS "userId" FROM line.lost_notified
 WHERE case_id = $1::text::uuid AND event_id = $2::text::uuid ORDER BY user_id`

/** As long as cases are kept. */
const FORGET = `
WITH alerts AS (DELETE FROM line.lost_alerts WHERE settled_at < now() - interval '30 days')
DELETE FROM line.lost_notified WHERE at < now() - interval '30 days'`

const ofEvent = (change: string) => `UPDATE line.lost_alerts SET ${change} WHERE event_id = $1::text::uuid`

/** Which cases people are to be notified of, and who was. All throw StoreUnavailable. */
export function lostAlertStore(db: Pick<Database, 'query' | 'queryAs'>) {
  return {
    /** Idempotent: an event that is delivered again is the same alert. */
    add: async (eventId: string, caseId: string): Promise<void> => {
      await db.query(
        'INSERT INTO line.lost_alerts (event_id, case_id) VALUES ($1::text::uuid, $2::text::uuid) ON CONFLICT DO NOTHING',
        [eventId, caseId],
      )
    },
    /** What waits becomes a message of this id, unless the last one went out within a minute. */
    gather: async (messageId: string): Promise<void> => {
      await db.query(GATHER, [messageId])
    },
    /** The cases of the message to be sent, the oldest first; the same until it is settled. */
    next: (): Promise<Alert[]> => db.queryAs(Alert, NEXT),
    /** How many alerts are in no message yet. */
    waiting: async (): Promise<number> => (await db.queryAs(Count, WAITING))[0]?.count ?? 0,
    /** Whether a report of now waits for the minute of an earlier message. */
    isHeld: async (): Promise<boolean> =>
      (await db.queryAs(Held, `SELECT ${heldAt('now()')} AS "isHeld"`))[0]?.isHeld ?? false,
    settle: async (messageId: string): Promise<void> => {
      await db.query('UPDATE line.lost_alerts SET settled_at = now() WHERE message_id = $1::text::uuid', [
        messageId,
      ])
    },
    /** Nobody needs to hear of it: it is in no message. */
    drop: async (eventId: string): Promise<void> => {
      await db.query(ofEvent('settled_at = now(), message_id = NULL'), [eventId])
    },
    /** Leaves it to a later message. */
    release: async (eventId: string): Promise<void> => {
      await db.query(ofEvent('message_id = NULL'), [eventId])
    },
    /** Volunteers and owners whom LINE can reach. */
    recipients: (): Promise<Recipient[]> => db.queryAs(Recipient, RECIPIENTS),
    /** Whom this alert is to reach: those named whom no earlier alert of the case has. The same when called again. */
    claim: async (
      { eventId, caseId }: Pick<Alert, 'eventId' | 'caseId'>,
      userIds: readonly string[],
    ): Promise<string[]> => {
      await db.query(CLAIM, [caseId, eventId, userIds])
      return (await db.queryAs(Person, CLAIMED, [caseId, eventId])).map(({ userId }) => userId)
    },
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
