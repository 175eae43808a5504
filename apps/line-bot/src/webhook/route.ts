import { createHmac } from 'node:crypto'
import { isRecord } from '@palanquin/domain/is-record'
import { boundJson } from '@palanquin/domain/payload'
import { ApiError } from '@palanquin/service/http/api-error'
import { bodyBytes, ok } from '@palanquin/service/http/app'
import { describe } from '@palanquin/service/http/openapi'
import { sameSecret } from '@palanquin/service/http/secret'
import { Elysia } from 'elysia'
import Type from 'typebox'
import type { Inbound } from '../inbox/inbound.ts'
import { readEvent } from './read-event.ts'

const SIGNATURE_HEADER = 'x-line-signature'

/** Whether bytes were signed with the channel's secret: base64 of HMAC-SHA256. */
export function isSigned(
  bytes: Uint8Array,
  { signature, channelSecret }: { signature: string | null; channelSecret: string },
): boolean {
  const expected = createHmac('sha256', channelSecret).update(bytes).digest('base64')
  return sameSecret(signature ?? '', expected)
}

const WEBHOOK_PATH = '/webhook'
/** Of the shell: the signature is over the bytes. The gateway passes 102,400 at the most. */
export const RAW_BODIES = { [WEBHOOK_PATH]: 1_048_576 }

/** Some 150 events fill a body of 102,400 bytes, with 20 to 40 keys each. */
const KEYS_MAX = 8_000

const notConfigured = new ApiError('unavailable', 'LINE is not configured here: nothing can be verified.')
const unsigned = new ApiError('unauthorized', 'X-Line-Signature is missing, or not that of this body.')
const malformed = new ApiError('invalid', 'The body is not a webhook: expected JSON with a list of events.')

/** What is read of a webhook; LINE sends more, and of other kinds of events, which are passed over. */
const WebhookBody = Type.Object({
  destination: Type.Optional(Type.String({ description: 'the userId of the bot' })),
  events: Type.Array(
    Type.Record(Type.String(), Type.Unknown(), {
      description:
        'a webhook event object of the Messaging API: follow, unfollow, message or postback, with its webhookEventId, source, timestamp and replyToken',
    }),
    { description: 'events; an empty list is what LINE verifies the address with' },
  ),
})

const Answer = Type.Object({
  received: Type.Integer({ minimum: 0, description: 'events in the body' }),
  taken: Type.Integer({ minimum: 0, description: 'those that are new and that the bot acts on' }),
})

export type Webhook = {
  /** Null where LINE is not configured. */
  channelSecret: string | null
  /** Keeps events, each once; throws StoreUnavailable, and LINE delivers again. */
  append: (events: readonly Inbound[]) => Promise<number>
  /** Epoch milliseconds. */
  now: () => number
}

/** `POST /webhook`: verified, kept, answered; the conversation reads the inbox. Contract section 6. */
export const webhookRoutes = ({ channelSecret, append, now }: Webhook) =>
  new Elysia({ name: 'webhook' }).post(
    WEBHOOK_PATH,
    async ({ body, request }) => {
      if (channelSecret === null) return notConfigured
      const bytes = bodyBytes(body)
      const signature = request.headers.get(SIGNATURE_HEADER)
      if (!isSigned(bytes, { signature, channelSecret })) return unsigned
      const events = eventsOf(bytes)
      if (!events) return malformed
      const inbound = events.map((event) => readEvent(event, now())).filter((event) => event !== null)
      return ok({ received: events.length, taken: await append(inbound) })
    },
    {
      detail: describe({
        summary: 'Events of the chat platform',
        description:
          'X-Line-Signature is the base64 of the HMAC-SHA256 of the bytes under the channel secret. Every webhookEventId is acted on once within 72 hours; answers follow in the chat. 503 where LINE is not configured, and while events cannot be kept: LINE delivers again.',
        tags: ['LINE'],
        bodies: {
          'application/json': {
            schema: WebhookBody,
            example: { destination: 'U8e742f61d673b39c7fff3cecb7536ef0', events: [] },
          },
        },
        answers: { 200: { description: 'kept', data: Answer, example: { received: 1, taken: 1 } } },
        apiErrors: ['invalid', 'unauthorized', 'tooLarge', 'unavailable'],
      }),
    },
  )

function eventsOf(bytes: Uint8Array): unknown[] | null {
  try {
    const bounded = boundJson(new TextDecoder().decode(bytes), { keysMax: KEYS_MAX })
    if ('problem' in bounded) return null
    const body: unknown = JSON.parse(bounded.text)
    return isRecord(body) && Array.isArray(body.events) ? body.events : null
  } catch {
    return null
  }
}
