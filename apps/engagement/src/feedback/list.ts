import type { FeedbackStatus } from '@palanquin/domain/feedback'
import { ApiError } from '@palanquin/service/http/api-error'
import { cursorsOf, type Page, pageOf } from '@palanquin/service/http/paging'
import Type from 'typebox'
import type { CountFeedback, Feedback, FeedbackFilter, FeedbackStore } from './store.ts'
import type { FeedbackCounts } from './view.ts'

/** Newest first by `seq`, which no change moves, so later items never shift pages that were read. */
const cursors = cursorsOf('feedback, newest first', Type.Integer())

export type Wanted = FeedbackFilter & { limit: number; cursor: string | undefined }

/** A page of feedback, mapped by `view`; an ApiError for a foreign cursor. */
export async function listFeedback<Item>(
  { page, counts }: Pick<FeedbackStore, 'page' | 'counts'>,
  { limit, cursor, ...filter }: Wanted,
  view: (item: Feedback) => Item,
): Promise<Page<Item> | ApiError> {
  const beforeSeq = cursors.decode(cursor)
  if (beforeSeq instanceof ApiError) return beforeSeq
  const [rows, total] = await Promise.all([
    page(filter, { beforeSeq, count: limit + 1 }),
    counts().then(totalOf(filter)),
  ])
  return pageOf(rows, { limit, total, item: view, cursor: ({ seq }) => cursors.encode(seq) })
}

const totalOf =
  ({ status, category }: FeedbackFilter) =>
  (rows: Awaited<ReturnType<CountFeedback>>): number =>
    rows
      .filter((row) => row.status === (status ?? row.status) && row.category === (category ?? row.category))
      .reduce((sum, row) => sum + row.count, 0)

/** Counts items by status. */
export async function countFeedback(counts: CountFeedback): Promise<FeedbackCounts> {
  const rows = await counts()
  const of = (status: FeedbackStatus) => totalOf({ status, category: null })(rows)
  return {
    open: of('open'),
    in_progress: of('in_progress'),
    resolved: of('resolved'),
    rejected: of('rejected'),
  }
}
