import type { Database } from '@palanquin/db/client'
import { ApiError } from '@palanquin/service/http/api-error'
import { ok } from '@palanquin/service/http/app'
import { describe } from '@palanquin/service/http/openapi'
import { PAGE_ITEMS_DEFAULT, PageOf, pageQuery } from '@palanquin/service/http/paging'
import { text } from '@palanquin/service/http/standard-schema'
import { Elysia } from 'elysia'
import Type from 'typebox'
import { managerOf } from './administrator.ts'
import { PUSH, PUSH_ID } from './examples.ts'
import { ListedPush, listPushes } from './list.ts'
import { TakenBack, takeBack } from './take-back.ts'

type Options = {
  db: Pick<Database, 'queryAs'>
  /** Publishes the event of the timeline. */
  made: () => void
}

/** What was sent and is scheduled, and taking back what is not sent yet. Web face, section 4. */
export const pushListRoutes = ({ db, made }: Options) =>
  new Elysia({ name: 'push-list' })
    .get(
      '/push',
      async ({ request, query: { limit = PAGE_ITEMS_DEFAULT, cursor } }) => {
        const caller = managerOf(request.headers)
        if (caller instanceof ApiError) return caller
        const page = await listPushes(db, { limit, cursor })
        return page instanceof ApiError ? page : ok(page)
      },
      {
        query: text(Type.Object(pageQuery)),
        detail: describe({
          summary: 'All messages that administrators sent or scheduled, the newest first',
          tags: ['messages'],
          answers: {
            200: {
              description: 'a page of pushes as they stand',
              data: PageOf(ListedPush),
              example: {
                items: [{ ...PUSH, by: 'manager', to: 'all', text: '起駕！集合時間提前到 23:00。' }],
                nextCursor: null,
                total: 1,
              },
            },
          },
          apiErrors: ['invalid', 'unauthorized', 'forbidden', 'unavailable'],
        }),
      },
    )
    .delete(
      '/push/:pushId',
      async ({ request, params: { pushId } }) => {
        const caller = managerOf(request.headers)
        if (caller instanceof ApiError) return caller
        const gone = await takeBack(db, pushId, caller.by)
        if (gone instanceof ApiError) return gone
        made()
        return ok(gone)
      },
      {
        params: text(Type.Object({ pushId: Type.String({ description: 'the pushId of POST /push' }) })),
        detail: describe({
          summary: 'Take back a message that is scheduled',
          description:
            'It is deleted, and the audit keeps who did that. One that was sent, or is on its way, is 409.',
          tags: ['messages'],
          answers: { 200: { description: 'it is not sent', data: TakenBack, example: { pushId: PUSH_ID } } },
          apiErrors: ['unauthorized', 'forbidden', 'notFound', 'conflict', 'unavailable'],
        }),
      },
    )
