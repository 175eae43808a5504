import { UserId } from '@palanquin/domain/ids'
import { ApiError } from '@palanquin/service/http/api-error'
import { ok } from '@palanquin/service/http/app'
import { callerOf, USER_HEADER } from '@palanquin/service/http/headers'
import { describe } from '@palanquin/service/http/openapi'
import { text } from '@palanquin/service/http/standard-schema'
import { Elysia } from 'elysia'
import Type from 'typebox'
import { USER_ID } from '../participants/examples.ts'
import { administratorOf } from '../roles/caller.ts'
import { type ErasureDependencies, eraseParticipant } from './erase.ts'
import { Counts } from './services.ts'

const ERASED = {
  participants: 1,
  consents: 2,
  surveys: 1,
  feedback: 1,
  roles: 0,
  sessions: 2,
  audit: 0,
  events: 12,
  points: 48_211,
  tracks: 1,
  hours: 96,
  setAside: 0,
  bufferedPoints: 31,
  photos: 3,
  screenshots: 1,
  cards: 1,
}

/** `DELETE /user/{userId}`, for an owner or the authenticated participant. Contract section 5. */
export const erasureRoutes = (dependencies: ErasureDependencies) =>
  new Elysia({ name: 'erasure' }).delete(
    '/user/:userId',
    async ({ request, params: { userId } }) => {
      const administrator =
        request.headers.get(USER_HEADER) === userId
          ? { by: 'participant' }
          : administratorOf(request.headers, 'owner')
      if (administrator instanceof ApiError) return administrator
      // Who erases themselves as an owner is not named either.
      const by = administrator.by === userId ? 'erased' : administrator.by
      const { requestId } = callerOf(request.headers)
      const outcome = await eraseParticipant(dependencies, { userId, by, requestId })
      if (outcome instanceof ApiError) return outcome
      return outcome ? ok(outcome) : new ApiError('notFound', 'No participant of this userId is known.')
    },
    {
      params: text(Type.Object({ userId: UserId })),
      detail: describe({
        summary: 'Erase a participant everywhere',
        description:
          'Erases rows, buffered points, caches, pictures, feedback and events that are being published; the audit keeps what administrators did, without the name. Responds when all is done, with the number of each. After a 503 call again to finish. What arrives of them afterwards makes a new participant.',
        tags: ['administration'],
        answers: {
          200: {
            description: 'what was erased by this call',
            data: Type.Object({ userId: UserId, erased: Counts }),
            example: { userId: USER_ID, erased: ERASED },
          },
        },
        apiErrors: ['invalid', 'unauthorized', 'forbidden', 'notFound', 'unavailable', 'timeout'],
      }),
    },
  )
