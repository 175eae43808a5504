import { UserId } from '@palanquin/domain/ids'
import { ApiError } from '@palanquin/service/http/api-error'
import { callerOf, USER_HEADER } from '@palanquin/service/http/headers'
import { describe } from '@palanquin/service/http/openapi'
import { text } from '@palanquin/service/http/standard-schema'
import { textStream } from '@palanquin/service/http/text-stream'
import type { Log } from '@palanquin/service/log'
import { Elysia } from 'elysia'
import Type from 'typebox'
import { type ExportStores, exportOf } from './document.ts'
import { EXPORT } from './example.ts'
import { ExportDocument } from './schema.ts'

const FILE_NAME = 'my-data.json'

/** `GET /user/{userId}/export`, for the participant who is signed in. Web face, section 4. */
export const exportRoutes = ({ log, ...stores }: ExportStores & { log: Log }) =>
  new Elysia({ name: 'export' }).get(
    '/user/:userId/export',
    async ({ request, params: { userId } }) => {
      if (request.headers.get(USER_HEADER) !== userId)
        return new ApiError('forbidden', 'An export is for its own participant alone.')
      const { requestId } = callerOf(request.headers)
      const texts = await exportOf(stores, userId, requestId)
      if (texts === null) return new ApiError('notFound', 'No participant of this userId is known.')
      if (texts instanceof ApiError) return texts
      return textStream(texts, {
        headers: {
          'content-type': 'application/json; charset=utf-8',
          'content-disposition': `attachment; filename="${FILE_NAME}"`,
          'cache-control': 'no-store',
        },
        log,
      })
    },
    {
      params: text(Type.Object({ userId: UserId })),
      detail: describe({
        summary: 'My data',
        description:
          'Everything that is kept of the participant, as a download: the profile with the whole phone number, every consent, the survey in words with its history, feedback, photos, cards, and every point, those of the last minutes included (on a crowded day they follow the flush). Secrets are not in it. A document that breaks off is not valid JSON.',
        tags: ['participants'],
        answers: {
          200: {
            description: 'the data',
            data: ExportDocument,
            example: EXPORT,
            headers: ['Content-Disposition'],
          },
        },
        apiErrors: ['invalid', 'unauthorized', 'forbidden', 'notFound', 'unavailable'],
      }),
    },
  )
