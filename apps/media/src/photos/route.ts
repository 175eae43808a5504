import { UserId } from '@palanquin/domain/ids'
import { ApiError } from '@palanquin/service/http/api-error'
import { bodyBytes, ok } from '@palanquin/service/http/app'
import { receivedAtOf } from '@palanquin/service/http/headers'
import { describe } from '@palanquin/service/http/openapi'
import { text } from '@palanquin/service/http/standard-schema'
import { Elysia } from 'elysia'
import Type from 'typebox'
import { addPhoto, type Photos } from './add.ts'

const PHOTOS_PATH = '/internal/photos'
/** The photo itself; LINE delivers 10 MB at most. */
export const RAW_BODIES = { [PHOTOS_PATH]: 10_485_760 }

const MessageId = Type.String({
  pattern: '^[A-Za-z0-9_-]{1,64}$',
  description: "the chat platform's message id",
})
const Count = Type.Object({
  userId: UserId,
  count: Type.Integer({ minimum: 0, description: 'photos that were sent' }),
})

/** Photos from the LINE bot, and their count. Contract section 3. */
export const photoRoutes = (photos: Photos) =>
  new Elysia({ name: 'photos' })
    .get(
      '/photos/count',
      async ({ query: { userId } }) => ok({ userId, count: await photos.counts.of(userId) }),
      {
        query: text(Type.Object({ userId: UserId })),
        detail: describe({
          summary: 'How many photos a participant sent',
          description: 'Photos arrive as images sent to the LINE bot. 0 for a participant who sent none.',
          tags: ['gps'],
          answers: {
            200: {
              description: 'the count',
              data: Count,
              example: { userId: 'U4af4980629c1f0b8d3e5a7c6b9d0e1f2', count: 3 },
            },
          },
          apiErrors: ['invalid', 'unavailable'],
        }),
      },
    )
    .post(
      PHOTOS_PATH,
      async ({ query: { userId, messageId }, body, request: { headers } }) => {
        const receivedAt = receivedAtOf(headers)
        const outcome = await addPhoto(photos, { userId, messageId, bytes: bodyBytes(body), receivedAt })
        return outcome instanceof ApiError ? outcome : ok(outcome)
      },
      { query: text(Type.Object({ userId: UserId, messageId: MessageId })), detail: { hide: true } },
    )
