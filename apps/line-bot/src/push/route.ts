import { randomUUID } from 'node:crypto'
import type { Database } from '@palanquin/db/client'
import { Nullable } from '@palanquin/domain/optional'
import { Iso } from '@palanquin/domain/time'
import { ApiError } from '@palanquin/service/http/api-error'
import { ok } from '@palanquin/service/http/app'
import { describe } from '@palanquin/service/http/openapi'
import { body, text } from '@palanquin/service/http/standard-schema'
import { Elysia } from 'elysia'
import Type from 'typebox'
import type { LineClient } from '../line-client/client.ts'
import { managerOf } from './administrator.ts'
import { PUSH, PUSH_ID } from './examples.ts'
import { pushListRoutes } from './list-route.ts'
import { PushAnswer, readPush } from './push-status.ts'
import type { QuotaReader } from './quota.ts'
import { PushBody, readRequest } from './request.ts'
import type { PushStore } from './store.ts'

export type PushRoutes = {
  db: Pick<Database, 'queryAs'>
  store: PushStore
  /** Null where LINE is not configured. */
  line: { quota: Pick<QuotaReader, 'read'>; client: Pick<LineClient, 'faultOf'> } | null
  /** Wakes the sender, and publishes the event of the timeline. */
  made: () => void
  now: () => number
}

const tags = ['messages']
const USAGE = {
  type: 'limited',
  quota: 30_000,
  used: 1_204,
  remaining: 28_796,
  asOf: '2026-05-01T15:00:00.000Z',
}

const Usage = Type.Object({
  type: Type.Enum(['limited', 'none'], { description: 'whether there is a limit' }),
  quota: Nullable(Type.Integer({ minimum: 0 }), 'messages of this month; null without a limit'),
  used: Type.Integer({ minimum: 0, description: 'messages that were sent this month' }),
  remaining: Nullable(Type.Integer({ minimum: 0 }), 'what is left; null without a limit'),
  asOf: Iso,
})

const Accepted = Type.Object({
  pushId: Type.String({ format: 'uuid', description: 'for GET /push/{pushId}' }),
  recipients: Type.Integer({ minimum: 0, description: 'everybody who is addressed' }),
})

const notConfigured = () =>
  new ApiError(
    'unavailable',
    'LINE is not configured here, so nothing can be sent and no quota be read: set LINE_CHANNEL_SECRET and LINE_CHANNEL_ACCESS_TOKEN.',
  )

/** Messages to many, and how much of the month's quota is used. Contract section 5. */
export const pushRoutes = ({ db, store, line, made, now }: PushRoutes) =>
  new Elysia({ name: 'push' })
    .use(pushListRoutes({ db, made }))
    .post(
      '/push',
      async ({ body: input, request, set }) => {
        const caller = managerOf(request.headers)
        if (caller instanceof ApiError) return caller
        const { by } = caller
        const pushRequest = readRequest(input, now())
        if (pushRequest instanceof ApiError) return pushRequest
        if (!line) return notConfigured()
        const { audience, messages, scheduledAt } = pushRequest
        // While LINE does not answer the push is taken, and fails when it is sent if LINE refuses it then.
        const fault = await line.client.faultOf(messages)
        if (fault !== null) return new ApiError('invalid', `LINE: ${fault}`)
        const recipients = audience.to === 'all' ? await store.everybody() : 0
        const push = await store.create({
          cause: `push:${randomUUID()}`,
          by,
          audience,
          messages,
          scheduledAt,
          recipients,
          honoursStop: true,
          act: {
            action: 'push.sent',
            by,
            detail: { to: audience.to, ...(scheduledAt === null ? {} : { scheduledAt }) },
          },
        })
        if (!push) throw new Error('a cause drawn at random was there already')
        made()
        set.status = 202
        return ok(push)
      },
      {
        body: body(PushBody),
        detail: describe({
          summary: 'Send a message, now or at a time',
          description: [
            'Either `text` or `messages`. The push is stored before the answer and survives any crash; each recipient gets it once.',
            '`all` is everybody whom the bot can reach and who has not withdrawn. `recipients` counts everybody addressed, also who blocked the bot or said that they want no messages: those are passed over, and counted as `blocked` and `skipped`.',
            'A `scheduledAt` in the future is sent by the hourly job, to its audience of that time; one in the past is sent at once.',
            'A push that would take the part of the month’s quota that is kept for pause notices and the final summary fails as a whole.',
          ].join('\n\n'),
          tags,
          example: { to: 'all', text: '起駕！集合時間提前到 23:00。' },
          answers: {
            202: {
              description: 'stored, and on its way',
              data: Accepted,
              example: { pushId: PUSH_ID, recipients: 10_214 },
            },
          },
          apiErrors: ['invalid', 'unauthorized', 'forbidden', 'unavailable'],
        }),
      },
    )
    .get(
      '/push/:pushId',
      async ({ params: { pushId } }) => {
        const push = await readPush(db, pushId)
        return push ? ok(push) : new ApiError('notFound', 'There is no push of this pushId.')
      },
      {
        params: text(Type.Object({ pushId: Type.String({ description: 'the pushId of POST /push' }) })),
        detail: describe({
          summary: 'What became of a message',
          description:
            '`sent`: taken by LINE. `failed`: not sent; `reason` says why. `blocked`: blocked the bot, or never added it. `skipped`: said that they want no messages. A push of which nothing could be sent is `failed`.',
          tags,
          answers: { 200: { description: 'the push as it stands', data: PushAnswer, example: PUSH } },
          apiErrors: ['unauthorized', 'forbidden', 'notFound', 'unavailable'],
        }),
      },
    )
    .get(
      '/line-usage',
      async () => {
        if (!line) return notConfigured()
        const usage = await line.quota.read()
        return usage
          ? ok(usage)
          : new ApiError('unavailable', 'LINE does not report its quota right now; please try again shortly.')
      },
      {
        detail: describe({
          summary: 'How much of the month’s message quota is used',
          description:
            'From LINE itself, at most a minute old; while LINE does not answer, the last known with its time. `quota` and `remaining` are null where there is no limit.',
          tags,
          answers: { 200: { description: 'the usage', data: Usage, example: USAGE } },
          apiErrors: ['unauthorized', 'unavailable'],
        }),
      },
    )
