import { CheckinBody } from '@palanquin/domain/point/input'
import { Iso } from '@palanquin/domain/time'
import { ApiError } from '@palanquin/service/http/api-error'
import { ok } from '@palanquin/service/http/app'
import { arrivedAtOf } from '@palanquin/service/http/headers'
import { describe } from '@palanquin/service/http/openapi'
import { body } from '@palanquin/service/http/standard-schema'
import { Elysia } from 'elysia'
import Type from 'typebox'
import type { Checkins } from './accept.ts'

const Receipt = Type.Object({
  id: Type.String({ format: 'uuid', description: 'the id of this check-in' }),
  receivedAt: Iso,
})

/** `POST /checkin`, and `POST /internal/checkin` for the line-bot. */
export const checkinRoutes = ({ accept, acceptInternal }: Pick<Checkins, 'accept' | 'acceptInternal'>) =>
  new Elysia({ name: 'checkin' })
    .post(
      '/checkin',
      async ({ body, request, set }) => {
        const receipt = await accept(body, { arrivedAt: arrivedAtOf(request.headers) })
        if (receipt instanceof ApiError) return receipt
        set.status = 202
        return ok(receipt)
      },
      {
        body: body(CheckinBody),
        detail: describe({
          summary: 'Check in at a place',
          description:
            'Answered at once: what was answered 202 is kept, whatever happens. The same place (5 decimals) within 60 s of the first is answered 202 and not counted.',
          tags: ['GPS'],
          example: { userId: 'U4af4980629c1f0b8d3e5a7c6b9d0e1f2', lat: 24.1477, lng: 120.6736, accuracy: 12 },
          answers: {
            202: {
              description: 'accepted',
              data: Receipt,
              example: {
                id: '01a1fd30-2df0-756b-aff2-21669be03ddb',
                receivedAt: '2026-04-17T14:05:00.000Z',
              },
            },
          },
          apiErrors: ['invalid', 'forbidden', 'tooLarge', 'tooMany', 'unavailable'],
        }),
      },
    )
    .post(
      '/internal/checkin',
      async ({ body, request, set }) => {
        const receipt = await acceptInternal(body, { arrivedAt: arrivedAtOf(request.headers) })
        if (receipt instanceof ApiError) return receipt
        set.status = 202
        return ok(receipt)
      },
      { body: body(CheckinBody), detail: { hide: true } },
    )
