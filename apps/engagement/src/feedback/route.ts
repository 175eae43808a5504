import { FeedbackBody, FeedbackCategory, FeedbackStatus, isFeedbackId } from '@palanquin/domain/feedback'
import { ROLE_LEVEL } from '@palanquin/domain/role'
import { ok } from '@palanquin/service/http/app'
import { callerOf, receivedAtOf } from '@palanquin/service/http/headers'
import { PAGE_ITEMS_DEFAULT, pageQuery } from '@palanquin/service/http/paging'
import { body, text } from '@palanquin/service/http/standard-schema'
import { memoize } from '@palanquin/service/memoize'
import { Elysia } from 'elysia'
import Type from 'typebox'
import { respond } from '../respond.ts'
import { noSuchFeedback, type SendingFeedback, sendFeedback } from './change.ts'
import { LIST, PATCH, SEND, STATUS } from './describe.ts'
import { countFeedback, listFeedback } from './list.ts'
import { patches, patchFeedback } from './patch.ts'
import { publicView, staffView, stateView } from './view.ts'

const ListQuery = Type.Object({
  ...pageQuery,
  status: Type.Optional(FeedbackStatus),
  category: Type.Optional(FeedbackCategory),
})
const StatusQuery = Type.Object({
  id: Type.Optional(Type.String({ description: 'the id of a feedback item; without it all are counted' })),
})

/** All items are counted once in this time for all callers who are no staff. */
const COUNTED_EVERY_MS = 1_000

/** Feedback to the organisers, and its state. Contract section 4. */
export const feedbackRoutes = (dependencies: SendingFeedback) => {
  const { store } = dependencies
  const counts = memoize(store.counts, { ttlMs: COUNTED_EVERY_MS })
  return new Elysia({ name: 'feedback' })
    .post(
      '/feedback',
      async ({ body: input, request: { headers } }) =>
        respond(await sendFeedback(dependencies, input, receivedAtOf(headers))),
      { body: body(FeedbackBody), detail: SEND },
    )
    .get(
      '/feedback',
      async ({ request, query: { status = null, category = null, limit = PAGE_ITEMS_DEFAULT, cursor } }) => {
        const wanted = { status, category, limit, cursor }
        // Two calls, so that each response has one type.
        return callerOf(request.headers).tier >= ROLE_LEVEL.manager
          ? respond(await listFeedback(store, wanted, staffView))
          : respond(await listFeedback({ page: store.page, counts }, wanted, publicView))
      },
      { query: text(ListQuery), detail: LIST },
    )
    .get(
      '/feedback/status',
      async ({ query: { id } }) => {
        if (id === undefined) return ok(await countFeedback(counts))
        const item = isFeedbackId(id) ? await store.read(id) : null
        return item ? ok(stateView(item)) : noSuchFeedback()
      },
      { query: text(StatusQuery), detail: STATUS },
    )
    .patch(
      '/feedback/:id',
      async ({ request, params: { id }, body: input }) =>
        respond(await patchFeedback(store, { id, input, headers: request.headers })),
      { body: patches, detail: PATCH },
    )
}
