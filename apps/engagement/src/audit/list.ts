import type { Database } from '@palanquin/db/client'
import { Timestamp } from '@palanquin/db/rows'
import { Iso, toIso } from '@palanquin/domain/time'
import { ApiError } from '@palanquin/service/http/api-error'
import { cursorsOf, type Page, pageOf } from '@palanquin/service/http/paging'
import Type, { type Static } from 'typebox'
import type { Range } from '../reports/timeline/store.ts'

/** What an administrator did, for managers and owners. */
export const AuditEntry = Type.Object({
  id: Type.Integer({ minimum: 1, description: 'grows with each entry' }),
  at: Iso,
  type: Type.String({ description: 'the act: activity.changed, participant.searched …' }),
  by: Type.String({ description: 'who: a userId, the role of a token, participant, reporter or schedule' }),
  detail: Type.Record(Type.String(), Type.Unknown(), { description: 'facts about it, by its type' }),
})
export type AuditEntry = Static<typeof AuditEntry>

const AuditRow = Type.Object({ ...AuditEntry.properties, at: Timestamp })
const Total = Type.Object({ total: Type.Integer() })

/** $1: who acted, or whom it is about; $2: an act, or its part before the dot; $3, $4: from and to. Null matches all. */
const MATCHING = `
FROM engagement.audit
WHERE ($1::text IS NULL OR by = $1 OR detail ->> 'userId' = $1 OR detail @> jsonb_build_object('userIds', jsonb_build_array($1::text)))
  AND ($2::text IS NULL OR type = $2 OR starts_with(type, $2 || '.'))
  AND at >= coalesce($3::text::timestamptz, '-infinity') AND at < coalesce($4::text::timestamptz, 'infinity')`
const PAGE = `SELECT id::int AS id, at, type, by, detail ${MATCHING} AND id < coalesce($5::bigint, 9223372036854775807)
ORDER BY id DESC LIMIT $6`
const TOTAL = `SELECT count(*)::int AS total ${MATCHING}`

/** Newest first by the id, which no later entry shifts. */
const cursors = cursorsOf('audit, newest first', Type.Integer())

export type AuditFilter = Range & { person: string | null; act: string | null }

/** A page of the audit; an ApiError for a foreign cursor. @throws StoreUnavailable */
export async function listAudit(
  db: Database,
  { person, act, fromIso, toIso: untilIso }: AuditFilter,
  { limit, cursor }: { limit: number; cursor: string | undefined },
): Promise<Page<AuditEntry> | ApiError> {
  const beforeId = cursors.decode(cursor)
  if (beforeId instanceof ApiError) return beforeId
  const filter = [person, act, fromIso, untilIso]
  const [rows, [counted]] = await Promise.all([
    db.queryAs(AuditRow, PAGE, [...filter, beforeId, limit + 1]),
    db.queryAs(Total, TOTAL, filter),
  ])
  return pageOf(rows, {
    limit,
    total: counted?.total ?? 0,
    item: ({ at, ...entry }) => ({ ...entry, at: toIso(at.getTime()) }),
    cursor: ({ id }) => cursors.encode(id),
  })
}
