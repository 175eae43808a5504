import type { messagingApi } from '@line/bot-sdk'
import type { Database } from '@palanquin/db/client'
import type { Localized } from '@palanquin/domain/language'
import type { ErasureTokenOf } from '@palanquin/service/erasure-token'
import Type, { type Static } from 'typebox'
import { type Audience, chunking, chunkSizeOf, HOW_MANY, isWide, judging, type Personal } from './audience.ts'
import { releases, URGENT_PRIORITY } from './release.ts'

/** The same for all, or in each language. */
export type PushMessages = readonly messagingApi.Message[] | Localized<readonly messagingApi.Message[]>

export type NewPush = {
  /** Makes it once: a second one of the same cause is none. */
  cause: string
  by: string
  audience: Audience
  messages: PushMessages
  personal?: Personal
  /** May spend the reserve of the quota, and goes before others. */
  urgent?: boolean
  /** Whether it skips users who stopped notifications. */
  honoursStop: boolean
  /** ISO; null for now. */
  scheduledAt?: string | null
  /** Of a wide audience: how many it is thought to be, until that is found out. */
  recipients?: number
  /** Data of an `admin.acted` event about it, but for its id and how many it goes to. */
  act?: { action: string; by: string; detail: Record<string, string> }
}

/** Hundreds of thousands are counted while the caller waits; the gateway waits longer. */
const COUNT_DEADLINE_MS = 5_500

const Made = Type.Object({ pushId: Type.String(), recipients: Type.Integer() })
type Made = Static<typeof Made>
const Recipients = Type.Pick(Made, ['recipients'])

const COLUMNS = `cause, by, audience, messages, personal, urgent, honours_stop, scheduled_at, released_at,
  recipients, failed, blocked, skipped`
const VALUES = `$5, $6, $7::text::jsonb, $8::text::jsonb, nullif($9, ''), $10::boolean, $2::boolean,
  nullif($11, '')::timestamptz, CASE WHEN $11 = '' THEN now() END, recipients, failed, blocked, skipped`

/** SQL: the timeline event of a push; `act` is its data but for what only this statement knows. */
const timelineEvent = (act: string) => `timeline_event AS (
  INSERT INTO line.outbox (type, data)
  SELECT 'admin.acted', jsonb_set(${act}::text::jsonb, '{detail}', ${act}::text::jsonb -> 'detail'
           || jsonb_build_object('pushId', id, 'recipients', recipients))
    FROM push WHERE ${act} <> '{}'
)
SELECT id AS "pushId", recipients FROM push`

/** The push, its chunks where it goes now, and its timeline event. */
const create = (audience: Audience) => `
WITH ${judging(audience.to)}, push AS (
  INSERT INTO line.pushes (${COLUMNS}) SELECT ${VALUES} FROM counts
  ON CONFLICT (cause) DO NOTHING
  RETURNING id, recipients, urgent, CASE WHEN urgent THEN ${URGENT_PRIORITY} ELSE 0 END AS priority
), ${chunking("$11 = ''")}, ${timelineEvent('$12')}`

/** The push alone: the users of a wide audience are listed afterwards, however long that takes. */
const CREATE_WIDE = `
WITH push AS (
  INSERT INTO line.pushes (cause, by, audience, messages, personal, urgent, honours_stop, scheduled_at, recipients)
  VALUES ($1, $2, $3::text::jsonb, $4::text::jsonb, nullif($5, ''), $6::boolean, $7::boolean,
          nullif($8, '')::timestamptz, $9::int)
  ON CONFLICT (cause) DO NOTHING RETURNING id, recipients
), ${timelineEvent('$10')}`

/** Closes pushes whose last chunk is settled. What a report of lost and found said, and where, is kept no longer. */
const FINISH = `
UPDATE line.pushes AS p SET finished_at = now(), messages = CASE WHEN by = 'lost-and-found' THEN '[]' ELSE messages END
 WHERE finished_at IS NULL AND released_at IS NOT NULL
   AND NOT EXISTS (SELECT FROM line.push_chunks AS c WHERE c.push_id = p.id AND c.state = 'waiting')`

/** Pushes as they are made and closed. Every write is one statement; all throw StoreUnavailable. */
export function pushStore(db: Pick<Database, 'query' | 'queryAs'>, tokenOf: ErasureTokenOf) {
  const createNarrow = (push: NewPush): Promise<Made[]> => {
    const { audience, messages, personal, scheduledAt } = push
    const userIds = audience.to === 'users' ? audience.userIds : []
    const [first] = userIds
    const only = userIds.length === 1 ? first : undefined
    return db.queryAs(Made, create(audience), [
      userIds,
      push.honoursStop,
      chunkSizeOf(personal ?? null),
      !Array.isArray(messages),
      push.cause,
      push.by,
      // The user ids are in the chunks; a push that waits has no chunks yet. By `mark` an erasure finds what was said to one alone.
      JSON.stringify({ ...(scheduledAt ? audience : { to: audience.to }), mark: only && tokenOf(only) }),
      JSON.stringify(messages),
      personal ?? '',
      push.urgent ?? false,
      scheduledAt ?? '',
      JSON.stringify(push.act ?? {}),
    ])
  }
  const createWide = (push: NewPush): Promise<Made[]> =>
    db.queryAs(Made, CREATE_WIDE, [
      push.cause,
      push.by,
      JSON.stringify(push.audience),
      JSON.stringify(push.messages),
      push.personal ?? '',
      push.urgent ?? false,
      push.honoursStop,
      push.scheduledAt ?? '',
      push.recipients ?? 0,
      JSON.stringify(push.act ?? {}),
    ])
  return {
    /** The push and how many it addresses; null where one of this cause exists already. */
    create: async (push: NewPush): Promise<Made | null> => {
      const [made] = await (isWide(push.audience) ? createWide(push) : createNarrow(push))
      return made ?? null
    },
    /** How many users `all` are. */
    everybody: async (): Promise<number> => {
      const rows = await db.queryAs(Recipients, HOW_MANY, [], { deadlineMs: COUNT_DEADLINE_MS })
      return rows[0]?.recipients ?? 0
    },
    ...releases(db),
    /** Closes the pushes of which nothing is left to send. */
    finish: async (): Promise<void> => {
      await db.query(FINISH)
    },
  }
}

export type PushStore = ReturnType<typeof pushStore>
