import type { Database } from '@palanquin/db/client'
import type { FeedbackCategory, FeedbackStatus } from '@palanquin/domain/feedback'
import { ApiError } from '@palanquin/service/http/api-error'
import { cursorsOf, type Page, pageOf } from '@palanquin/service/http/paging'
import Type from 'typebox'
import { type Feedback, FIELDS, OF_WHOM } from './store.ts'
import type { FeedbackCounts } from './view.ts'

/** Newest first by `seq`, which no change moves, so later items never shift pages that were read. */
const cursors = cursorsOf('feedback, newest first', Type.Integer())

/** Before the first page. */
const BEYOND_ALL_SEQ = Number.MAX_SAFE_INTEGER

const MATCHING = '($1::text IS NULL OR f.status = $1::text) AND ($2::text IS NULL OR f.category = $2::text)'

const PAGE = `
SELECT ${FIELDS} FROM engagement.feedback AS f ${OF_WHOM}
WHERE ${MATCHING} AND f.seq < $3::bigint ORDER BY f.seq DESC LIMIT $4::integer`

const TOTAL = `SELECT count(*) AS total FROM engagement.feedback AS f WHERE ${MATCHING}`

export type Wanted = {
  status: FeedbackStatus | null
  category: FeedbackCategory | null
  limit: number
  cursor: string | undefined
}

/** A page of feedback, mapped by `view`; an ApiError for a foreign cursor. */
export async function listFeedback<Item>(
  db: Database,
  { status, category, limit, cursor }: Wanted,
  view: (item: Feedback) => Item,
): Promise<Page<Item> | ApiError> {
  const beforeSeq = cursors.decode(cursor)
  if (beforeSeq instanceof ApiError) return beforeSeq
  const [rows, [count]] = await Promise.all([
    db.query<Feedback>(PAGE, [status, category, beforeSeq ?? BEYOND_ALL_SEQ, limit + 1]),
    db.query<{ total: number }>(TOTAL, [status, category]),
  ])
  return pageOf(rows, {
    limit,
    total: count?.total ?? 0,
    item: view,
    cursor: ({ seq }) => cursors.encode(seq),
  })
}

/** Counts items by status. */
export async function countFeedback(db: Database): Promise<FeedbackCounts> {
  const rows = await db.query<{ status: FeedbackStatus; count: number }>(
    'SELECT status, count(*) AS count FROM engagement.feedback GROUP BY status',
  )
  const of = (status: FeedbackStatus) => rows.find((row) => row.status === status)?.count ?? 0
  return {
    open: of('open'),
    in_progress: of('in_progress'),
    resolved: of('resolved'),
    rejected: of('rejected'),
  }
}
