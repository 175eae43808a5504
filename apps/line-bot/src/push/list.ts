import type { Database } from '@palanquin/db/client'
import { Nullable } from '@palanquin/domain/optional'
import { ApiError } from '@palanquin/service/http/api-error'
import { cursorsOf, type Page, pageOf } from '@palanquin/service/http/paging'
import Type, { type Static } from 'typebox'
import { PushAnswer, PushRow, pushAnswer } from './push-status.ts'

/** A push in the list: with its text, for an organiser who lost its id. */
export const ListedPush = Type.Object({
  ...PushAnswer.properties,
  by: Type.String({ description: 'who sent it: a userId, or the role of the token' }),
  to: Type.String({ description: 'all, volunteers, managers, owners, or users for named ones' }),
  text: Nullable(Type.String(), 'the text of its first message; null where that is no text'),
})
export type ListedPush = Static<typeof ListedPush>

/** What administrators send; pauses, achievements and the end have causes of their own, hundreds of thousands of them. */
const BY_ADMINISTRATORS = "p.cause LIKE 'push:%'"

const PAGE = `
SELECT p.id AS "pushId", p.recipients, p.scheduled_at, p.created_at, p.released_at, p.finished_at,
       coalesce(c.sent, 0) AS sent, p.failed + coalesce(c.failed, 0) AS failed,
       p.blocked + coalesce(c.blocked, 0) AS blocked, p.skipped + coalesce(c.skipped, 0) AS skipped, c.reason,
       p.by, p.audience ->> 'to' AS "to", p.messages -> 0 ->> 'text' AS text, p.created_at::text AS key
  FROM line.pushes AS p CROSS JOIN LATERAL (
    SELECT sum(sent)::int AS sent, sum(failed)::int AS failed, sum(blocked)::int AS blocked, sum(skipped)::int AS skipped,
           max(reason) FILTER (WHERE state = 'waiting' OR failed > 0) AS reason
      FROM line.push_chunks WHERE push_id = p.id) AS c
 WHERE ${BY_ADMINISTRATORS} AND (p.created_at, p.id) < ($1::text::timestamptz, $2::text::uuid)
 ORDER BY p.created_at DESC, p.id DESC LIMIT $3`
const TOTAL = `SELECT count(*)::int AS total FROM line.pushes AS p WHERE ${BY_ADMINISTRATORS}`

const ListedRow = Type.Object({
  ...PushRow.properties,
  ...Type.Pick(ListedPush, ['by', 'to', 'text']).properties,
  key: Type.String(),
})
const Total = Type.Object({ total: Type.Integer() })

/** Newest first; PostgreSQL's own text of the time is exact. */
const cursors = cursorsOf(
  'pushes, newest first',
  Type.Object({
    at: Type.String({
      pattern: '^\\d{4,6}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d(\\.\\d{1,6})?[+-]\\d\\d(:\\d\\d)?$',
    }),
    id: Type.String({ format: 'uuid' }),
  }),
)
const NEWEST = { at: 'infinity', id: 'ffffffff-ffff-ffff-ffff-ffffffffffff' }

/** A page of what administrators sent or scheduled; an ApiError for a foreign cursor. @throws StoreUnavailable */
export async function listPushes(
  db: Pick<Database, 'queryAs'>,
  { limit, cursor }: { limit: number; cursor: string | undefined },
): Promise<Page<ListedPush> | ApiError> {
  const after = cursors.decode(cursor)
  if (after instanceof ApiError) return after
  const { at, id } = after ?? NEWEST
  const [rows, [counted]] = await Promise.all([
    db.queryAs(ListedRow, PAGE, [at, id, limit + 1]),
    db.queryAs(Total, TOTAL),
  ])
  return pageOf(rows, {
    limit,
    total: counted?.total ?? 0,
    item: ({ by, to, text, key: _, ...row }) => ({ ...pushAnswer(row), by, to, text }),
    cursor: ({ key, pushId }) => cursors.encode({ at: key, id: pushId }),
  })
}
