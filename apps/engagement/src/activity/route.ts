import { ActivityStatusBody, pauseMessageOf } from '@palanquin/domain/activity'
import { ApiError } from '@palanquin/service/http/api-error'
import { ok } from '@palanquin/service/http/app'
import { callerOf } from '@palanquin/service/http/headers'
import { describe } from '@palanquin/service/http/openapi'
import { body } from '@palanquin/service/http/standard-schema'
import { Elysia } from 'elysia'
import Type from 'typebox'
import { respond } from '../respond.ts'
import { actorFor, administratorOf, roleOf } from '../roles/caller.ts'
import { type ActivityDependencies, endActivity, readActivity, setActivity } from './change.ts'
import { Activity, Outcome } from './store.ts'

const tags = ['administration']
const PAUSED = { status: 'paused', since: '2026-05-01T15:00:00.000Z', by: 'manager' }
const OUTCOME = {
  endedAt: '2026-05-09T12:00:00.000Z',
  by: 'owner',
  participants: 120_000,
  checkins: 1_900_000,
  points: 310_000_000,
  distanceKm: 9_811_204.117,
  walkedKm: 8_790_233.002,
  motorizedKm: 1_020_971.115,
  unlocked: 48_211,
  flushedAt: '2026-05-09T12:00:07.250Z',
}

/** The activity as a whole. Contract section 5. */
export const activityRoutes = (dependencies: ActivityDependencies) =>
  new Elysia({ name: 'activity' })
    .get(
      '/admin/status',
      async ({ request }) => {
        const role = roleOf(request.headers, 'volunteer')
        if (role instanceof ApiError) return role
        const { by, ...activity } = await readActivity(dependencies)
        return ok({ ...activity, by: by === null ? null : actorFor(role, by) })
      },
      {
        detail: describe({
          summary: "The activity's status, since when and by whom",
          tags,
          answers: { 200: { description: 'the status', data: Activity, example: PAUSED } },
          apiErrors: ['unauthorized', 'unavailable'],
        }),
      },
    )
    .put(
      '/admin/status',
      async ({ request, body: input }) => {
        const administrator = administratorOf(request.headers, 'manager')
        if (administrator instanceof ApiError) return administrator
        const outcome = await setActivity(dependencies, {
          to: input.status,
          by: administrator.by,
          message: pauseMessageOf(input),
        })
        return respond(outcome)
      },
      {
        body: body(ActivityStatusBody),
        detail: describe({
          summary: 'Pause or resume the activity',
          description:
            'While it is paused, positions are refused; what is buffered is stored all the same. `message` is shown to the public meanwhile (GET /activity), and goes when the activity does. A repeated status emits no event, but may bring another message.',
          tags,
          example: {
            status: 'paused',
            message: { zh: '媽祖駐駕休息，明早五點再出發。', en: 'Resting. We go on at five.' },
          },
          answers: { 200: { description: 'the status as it stands', data: Activity, example: PAUSED } },
          apiErrors: ['invalid', 'unauthorized', 'forbidden', 'conflict', 'unavailable'],
        }),
      },
    )
    .post(
      '/admin/end-activity',
      async ({ request }) => {
        const administrator = administratorOf(request.headers, 'manager')
        if (administrator instanceof ApiError) return administrator
        const { by } = administrator
        const { requestId } = callerOf(request.headers)
        const outcome = await endActivity(dependencies, { by, requestId })
        return respond(outcome)
      },
      {
        body: body(Type.Object({})),
        detail: describe({
          summary: 'End the activity',
          description:
            'Responds after the final flush, with the totals of the activity. A second call returns the same and does nothing. After a 503 the activity has ended; call again to finish.',
          tags,
          example: {},
          answers: { 200: { description: 'the totals of the activity', data: Outcome, example: OUTCOME } },
          apiErrors: ['unauthorized', 'forbidden', 'unavailable'],
        }),
      },
    )
