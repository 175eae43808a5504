import { createHmac } from 'node:crypto'
import { redelivered, type WebhookEvent } from './events.ts'
import type { Platform } from './platform.ts'

/** `X-Line-Signature`: base64 of HMAC-SHA256 of the body's bytes under the channel secret (LINE's reference, webhooks). */
export const signatureOf = (channelSecret: string, body: string | Uint8Array): string =>
  createHmac('sha256', channelSecret).update(body).digest('base64')

/** LINE gives a bot's server so long to answer. */
export const ANSWER_MS_MAX = 2_000

/** Where the bot listens. */
export type Target = {
  url: string
  /** The certificate authority of a gateway with a certificate of its own, as PEM. */
  ca?: string | undefined
  headers?: Record<string, string> | undefined
}
export type SendOptions = {
  /** The signature that is sent in place of the right one; null sends none. */
  signature?: string | null
  /** The very same bytes so many times at once. */
  times?: number
}
/** What became of one delivery; `status` is null when no answer came in time. */
export type Answer = { status: number | null; tookMs: number; body: string; problem: string | undefined }
/** What went out; pass it to `redeliver` to send it again. */
export type Sent = { events: WebhookEvent[]; answers: Answer[]; ok: boolean }

export type WebhookSender = ReturnType<typeof createWebhookSender>

/** Sends webhooks as LINE does: one signed body, an answer in time or none. */
export function createWebhookSender(
  platform: Platform,
  { target, answerMsMax }: { target: () => Target | undefined; answerMsMax: number },
) {
  const post = async (body: string | Uint8Array, signature: string | null): Promise<Answer> => {
    const startedMs = performance.now()
    const listener = target()
    if (!listener) return { status: null, tookMs: 0, body: '', problem: 'no webhook address is set' }
    const { url, ca, headers } = listener
    try {
      const answer = await fetch(url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json; charset=utf-8',
          'user-agent': 'LineBotWebhook/2.0',
          ...(signature === null ? {} : { 'x-line-signature': signature }),
          ...headers,
        },
        body,
        redirect: 'manual',
        signal: AbortSignal.timeout(answerMsMax),
        ...(ca === undefined ? {} : { tls: { ca } }),
      })
      const text = await answer.text()
      return { status: answer.status, tookMs: performance.now() - startedMs, body: text, problem: undefined }
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error)
      return { status: null, tookMs: performance.now() - startedMs, body: '', problem }
    }
  }

  /** Any bytes, signed as they are: for the samples, and for bodies that no LINE would send. */
  const sendBytes = async (body: string | Uint8Array, options: SendOptions = {}): Promise<Answer[]> => {
    const { signature = signatureOf(platform.channel.channelSecret, body), times = 1 } = options
    return Promise.all(Array.from({ length: times }, () => post(body, signature)))
  }

  const send = async (events: WebhookEvent | WebhookEvent[], options: SendOptions = {}): Promise<Sent> => {
    const all = [events].flat()
    for (const { replyToken } of all) if (replyToken !== undefined) platform.replyTokens.delivered(replyToken)
    const body = JSON.stringify({ destination: platform.channel.botUserId, events: all })
    const answers = await sendBytes(body, options)
    return { events: all, answers, ok: answers.every(({ status }) => status === 200) }
  }

  return {
    send,
    sendBytes,
    /** The same events with the same ids and reply tokens, marked as redelivered; in the order given. */
    redeliver: (events: Sent | WebhookEvent | WebhookEvent[], options?: SendOptions): Promise<Sent> => {
      const all = Array.isArray(events) ? events : isSent(events) ? events.events : [events]
      return send(all.map(redelivered), options)
    },
    /** What the button `Verify` of LINE's console sends: no events, signed. */
    verify: (): Promise<Sent> => send([]),
  }
}

const isSent = (value: Sent | WebhookEvent): value is Sent => 'answers' in value
