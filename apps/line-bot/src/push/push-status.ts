import type { Database } from '@palanquin/db/client'
import { Timestamp } from '@palanquin/db/rows'
import { Nullable } from '@palanquin/domain/optional'
import { Iso, toIso } from '@palanquin/domain/time'
import Type, { type Static } from 'typebox'

const count = (description: string) => Type.Integer({ minimum: 0, description })

/** What became of a push. `recipients` is the sum of the others and those to come. */
export const PushAnswer = Type.Object({
  pushId: Type.String({ format: 'uuid', description: 'the pushId of POST /push' }),
  state: Type.Enum(['scheduled', 'sending', 'sent', 'failed'], {
    description: 'scheduled, sending, sent or failed',
  }),
  recipients: count('everybody who is addressed'),
  sent: count('taken by LINE'),
  failed: count('not sent; `reason` says why'),
  blocked: count('who blocked the bot, or never added it'),
  skipped: count('who wants no messages, or has withdrawn'),
  reason: Nullable(Type.String(), 'why it was not sent, or waits; null where nothing went wrong'),
  scheduledAt: Nullable(Iso, 'when it is to be sent; null for at once'),
  createdAt: Iso,
  finishedAt: Nullable(Iso, 'when the last was settled; null until then'),
})
export type PushAnswer = Static<typeof PushAnswer>

const READ = `
SELECT p.id AS "pushId", p.recipients, p.scheduled_at, p.created_at, p.released_at, p.finished_at,
       coalesce(c.sent, 0) AS sent, p.failed + coalesce(c.failed, 0) AS failed,
       p.blocked + coalesce(c.blocked, 0) AS blocked, p.skipped + coalesce(c.skipped, 0) AS skipped, c.reason
  FROM line.pushes AS p LEFT JOIN (
    SELECT push_id, sum(sent)::int AS sent, sum(failed)::int AS failed, sum(blocked)::int AS blocked,
           sum(skipped)::int AS skipped, max(reason) FILTER (WHERE state = 'waiting' OR failed > 0) AS reason
      FROM line.push_chunks WHERE push_id = $1 GROUP BY push_id) AS c ON c.push_id = p.id
 WHERE p.id = $1`

/** A push with the sums of its chunks. */
export const PushRow = Type.Object({
  ...Type.Pick(PushAnswer, ['pushId', 'recipients', 'sent', 'failed', 'blocked', 'skipped', 'reason'])
    .properties,
  scheduled_at: Nullable(Timestamp),
  created_at: Timestamp,
  released_at: Nullable(Timestamp),
  finished_at: Nullable(Timestamp),
})
export type PushRow = Static<typeof PushRow>

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** Whether untrusted text may be the id of a push. */
export const isPushId = (text: string): boolean => UUID.test(text)

/** Null for an id of no push. @throws StoreUnavailable */
export async function readPush(db: Pick<Database, 'queryAs'>, pushId: string): Promise<PushAnswer | null> {
  if (!isPushId(pushId)) return null
  const [row] = await db.queryAs(PushRow, READ, [pushId])
  return row ? pushAnswer(row) : null
}

/** A push as responses show it. */
export function pushAnswer(row: PushRow): PushAnswer {
  const { scheduled_at, created_at, released_at, finished_at, ...facts } = row
  const iso = (at: Date | null) => (at === null ? null : toIso(at.getTime()))
  return {
    ...facts,
    state: stateOf(row),
    scheduledAt: iso(scheduled_at),
    createdAt: toIso(created_at.getTime()),
    finishedAt: iso(finished_at),
  }
}

/** A push of which nothing arrived, though something was to, has failed. */
function stateOf({ scheduled_at, released_at, finished_at, sent, failed }: PushRow): PushAnswer['state'] {
  if (released_at === null && scheduled_at !== null) return 'scheduled'
  if (finished_at === null) return 'sending'
  return sent === 0 && failed > 0 ? 'failed' : 'sent'
}
