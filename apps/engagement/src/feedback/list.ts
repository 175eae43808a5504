import type { FeedbackStatus } from '@palanquin/domain/feedback'
import { ApiError } from '@palanquin/service/http/api-error'
import { cursorsOf, type Page, pageOf } from '@palanquin/service/http/paging'
import Type from 'typebox'
import type { Feedback, FeedbackFilter, FeedbackStore } from './store.ts'
import type { FeedbackCounts } from './view.ts'

/** Newest first by `seq`, which no change moves, so later items never shift pages that were read. */
const cursors = cursorsOf('feedback, newest first', Type.Integer())

export type Wanted = FeedbackFilter & { limit: number; cursor: string | undefined }

/** A page of feedback, mapped by `view`; an ApiError for a foreign cursor. */
export async function listFeedback<Item>(
  store: FeedbackStore,
  { limit, cursor, ...filter }: Wanted,
  view: (item: Feedback) => Item,
): Promise<Page<Item> | ApiError> {
  const beforeSeq = cursors.decode(cursor)
  if (beforeSeq instanceof ApiError) return beforeSeq
  const [rows, total] = await Promise.all([
    store.page(filter, { beforeSeq, count: limit + 1 }),
    store.total(filter),
  ])
  return pageOf(rows, { limit, total, item: view, cursor: ({ seq }) => cursors.encode(seq) })
}

/** Counts items by status. */
export async function countFeedback(store: FeedbackStore): Promise<FeedbackCounts> {
  const rows = await store.countByStatus()
  const of = (status: FeedbackStatus) => rows.find((row) => row.status === status)?.count ?? 0
  return {
    open: of('open'),
    in_progress: of('in_progress'),
    resolved: of('resolved'),
    rejected: of('rejected'),
  }
}
