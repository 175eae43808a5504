import type { Database, Row } from '@palanquin/db/client'
import type { Language } from '@palanquin/domain/participant'
import type { LineMessage } from '../line-client/message.ts'
import { type Audience, chunking, chunkSizeOf, judging } from './expand.ts'

/** The same for everybody, or in each language. */
export type PushMessages = readonly LineMessage[] | Readonly<Record<Language, readonly LineMessage[]>>

/** Messages that are made for each person when they are sent. */
export type Personal = 'final-summary' | 'congratulation'

export type NewPush = {
  /** Makes it once: a second one of the same cause is none. */
  cause: string
  by: string
  audience: Audience
  messages: PushMessages
  personal?: Personal
  /** May spend the reserve of the quota, and goes before others. */
  urgent?: boolean
  /** Whether it passes over who said that they want no messages. */
  honoursStop: boolean
  /** ISO; null for now. */
  scheduledAt?: string | null
  /** Data of an `admin.acted` event about it, but for its id and how many it goes to. */
  act?: { action: string; by: string; detail: Record<string, string> }
}

/** A row for each of hundreds of thousands, in one statement. */
const EXPAND_DEADLINE_MS = 5_500
const URGENT_PRIORITY = 1

const COLUMNS = `cause, by, audience, messages, personal, urgent, honours_stop, scheduled_at, released_at,
  recipients, failed, blocked, skipped`
const VALUES = `$5, $6, $7::text::jsonb, $8::text::jsonb, nullif($9, ''), $10::boolean, $2::boolean,
  nullif($11, '')::timestamptz, CASE WHEN $11 = '' THEN now() END, recipients, failed, blocked, skipped`

/** The push, its chunks where it goes now, and what the timeline shows of it. */
const create = (audience: Audience) => `
WITH ${judging(audience.to)}, push AS (
  INSERT INTO line.pushes (${COLUMNS}) SELECT ${VALUES} FROM counts
  ON CONFLICT (cause) DO NOTHING
  RETURNING id, recipients, urgent, CASE WHEN urgent THEN ${URGENT_PRIORITY} ELSE 0 END AS priority
), ${chunking("$11 = ''")}, told AS (
  INSERT INTO line.outbox (type, data)
  SELECT 'admin.acted', jsonb_set($12::text::jsonb, '{detail}', $12::text::jsonb -> 'detail'
           || jsonb_build_object('pushId', id, 'recipients', recipients))
    FROM push WHERE $12 <> '{}'
)
SELECT id AS "pushId", recipients FROM push`

/** A scheduled push whose time has come: who is in its audience now gets it, once. */
const release = (audience: Audience) => `
WITH ${judging(audience.to)}, push AS (
  UPDATE line.pushes AS p SET released_at = now(), recipients = counts.recipients, failed = counts.failed,
      blocked = counts.blocked, skipped = counts.skipped, audience = p.audience - 'userIds'
    FROM counts WHERE p.id = $5 AND p.released_at IS NULL AND p.scheduled_at <= now()
  RETURNING p.id, CASE WHEN p.urgent THEN ${URGENT_PRIORITY} ELSE 0 END AS priority
), ${chunking()}
SELECT id FROM push`

const DUE = `
SELECT id, audience, personal, honours_stop AS "honoursStop", jsonb_typeof(messages) = 'object' AS "byLanguage"
  FROM line.pushes WHERE released_at IS NULL AND scheduled_at <= now() ORDER BY scheduled_at LIMIT 100`

/** Whoever settles the last chunk, or comes by later. */
const FINISH = `
UPDATE line.pushes AS p SET finished_at = now()
 WHERE finished_at IS NULL AND released_at IS NOT NULL
   AND NOT EXISTS (SELECT FROM line.push_chunks AS c WHERE c.push_id = p.id AND c.state = 'waiting')`

type DueRow = Row & {
  id: string
  audience: Audience
  personal: Personal | null
  honoursStop: boolean
  byLanguage: boolean
}

/** Pushes as they are made and closed. Every write is one statement; all throw StoreUnavailable. */
export function pushStore(db: Pick<Database, 'query'>) {
  return {
    /** The push and how many it addresses; null where one of this cause stands already. */
    create: async (push: NewPush): Promise<{ pushId: string; recipients: number } | null> => {
      const { audience, messages, personal, scheduledAt } = push
      const rows = await db.query<{ pushId: string; recipients: number }>(
        create(audience),
        [
          audience.to === 'users' ? audience.userIds : [],
          push.honoursStop,
          chunkSizeOf(personal ?? null),
          !Array.isArray(messages),
          push.cause,
          push.by,
          // Whose names it has stands in the chunks; a push that waits has no chunks yet.
          JSON.stringify(scheduledAt ? audience : { to: audience.to }),
          JSON.stringify(messages),
          personal ?? '',
          push.urgent ?? false,
          scheduledAt ?? '',
          JSON.stringify(push.act ?? {}),
        ],
        { deadlineMs: EXPAND_DEADLINE_MS },
      )
      return rows[0] ?? null
    },
    /** Makes the chunks of every push whose time has come; how many there were. */
    releaseDue: async (): Promise<number> => {
      const due = await db.query<DueRow>(DUE)
      for (const { id, audience, personal, honoursStop, byLanguage } of due)
        await db.query(
          release(audience),
          [
            audience.to === 'users' ? audience.userIds : [],
            honoursStop,
            chunkSizeOf(personal),
            byLanguage,
            id,
          ],
          { deadlineMs: EXPAND_DEADLINE_MS },
        )
      return due.length
    },
    /** Closes the pushes of which nothing is left to send. */
    finish: async (): Promise<void> => {
      await db.query(FINISH)
    },
  }
}

export type PushStore = ReturnType<typeof pushStore>
