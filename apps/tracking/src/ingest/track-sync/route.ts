import { TrackSyncBody, TrackSyncDocument } from '@palanquin/domain/point/input'
import { ApiError } from '@palanquin/service/http/api-error'
import { ok } from '@palanquin/service/http/app'
import { arrivedAtOf } from '@palanquin/service/http/headers'
import { describe } from '@palanquin/service/http/openapi'
import { body } from '@palanquin/service/http/standard-schema'
import { Elysia } from 'elysia'
import Type from 'typebox'
import type { Syncs } from './accept.ts'

const count = (description: string) => Type.Integer({ minimum: 0, description })
const Receipt = Type.Object({
  received: count('points of the body'),
  buffered: count('points that were taken'),
  duplicates: count('points that were sent in the last 60 s already'),
  filtered: count('taken points that never count for the distance: too fast, or too inaccurate'),
  rejected: Type.Array(
    Type.Object({
      index: count('its place in `points`, from 0'),
      reason: Type.Enum(['invalid', 'too_old', 'future'], { description: 'invalid, too_old or future' }),
    }),
    { description: 'points that were not taken' },
  ),
})

/** `POST /track/sync`. */
export const trackSyncRoutes = (syncs: Pick<Syncs, 'accept'>) =>
  new Elysia({ name: 'track-sync' }).post(
    '/track/sync',
    async ({ body, request }) => {
      const receipt = await syncs.accept(body, arrivedAtOf(request.headers))
      return receipt instanceof ApiError ? receipt : ok(receipt)
    },
    {
      body: body(TrackSyncBody),
      detail: describe({
        summary: 'Send up to a thousand points of a track',
        description:
          'Answered once the points are safe: the phone may forget them. Each point gets a verdict of its own. Sent again within 60 s (the same time, place, accuracy and speed) it is a duplicate; of several points of one time the one with the smallest accuracy counts. On a 503 send the same points again.',
        tags: ['GPS'],
        body: TrackSyncDocument,
        example: {
          userId: 'U4af4980629c1f0b8d3e5a7c6b9d0e1f2',
          source: 'android',
          points: [
            { lat: 24.1477, lng: 120.6736, recordedAt: '2026-04-17T22:05:00+08:00', accuracy: 8, speed: 4.2 },
            { lat: 24.1482, lng: 120.6741, recordedAt: 1776434760000, accuracy: 9 },
          ],
        },
        answers: {
          200: {
            description: 'what became of each point',
            data: Receipt,
            example: { received: 2, buffered: 2, duplicates: 0, filtered: 0, rejected: [] },
          },
        },
        apiErrors: ['invalid', 'forbidden', 'tooLarge', 'tooMany', 'unavailable'],
      }),
    },
  )
