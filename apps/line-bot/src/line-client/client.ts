import type { messagingApi } from '@line/bot-sdk'
import Type, { type Static, type TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import { callerAt } from './call.ts'
import type { LineOutcome } from './outcome.ts'
import { richMenuCalls } from './rich-menu.ts'

/** What a user sent, out of an answer of the data host. */
type Content = Uint8Array<ArrayBuffer> | 'preparing' | 'too-large'

/** LINE answers so while it still prepares a film. */
const PREPARING = 202

/** Reads at most `bytesMax` bytes; a larger content is left where it is. */
async function readContent(answer: Response, bytesMax: number): Promise<Content> {
  if (answer.status === PREPARING) {
    await answer.arrayBuffer()
    return 'preparing'
  }
  const pieces: Uint8Array[] = []
  let length = 0
  for await (const piece of answer.body ?? []) {
    length += piece.byteLength
    // Leaving the loop cancels the rest.
    if (length > bytesMax) return 'too-large'
    pieces.push(piece)
  }
  return new Uint8Array(Buffer.concat(pieces))
}

/** An organiser waits for it. */
const VALIDATE_DEADLINE_MS = 2_000
/** A picture or film is fetched within this. */
const CONTENT_DEADLINE_MS = 15_000

const profile = reader(
  Type.Object({
    userId: Type.String(),
    displayName: Type.String(),
    pictureUrl: Type.Optional(Type.String()),
    language: Type.Optional(Type.String()),
  }),
)
const quota = reader(Type.Object({ type: Type.String(), value: Type.Optional(Type.Number()) }))
const consumption = reader(Type.Object({ totalUsage: Type.Number() }))

export type LineClientOptions = {
  /** `https://api.line.me`. */
  apiBase: string
  /** `https://api-data.line.me`: pictures in and out. */
  dataApiBase: string
  accessToken: string
}

/** LINE's Messaging API as far as this bot uses it. Every function returns an outcome. */
export function createLineClient({ apiBase, dataApiBase, accessToken }: LineClientOptions) {
  const api = callerAt({ base: apiBase, accessToken })
  const data = callerAt({ base: dataApiBase, accessToken })
  return {
    /** Once per token, within its minute, free of charge. A token that is used or too old is `invalid`. */
    reply: ({ replyToken, messages }: { replyToken: string; messages: readonly messagingApi.Message[] }) =>
      api({ method: 'POST', path: '/v2/bot/message/reply', body: { replyToken, messages } }, nothing),
    /** To one user or group. `ok` also for a user who blocked the bot: LINE does not say. */
    push: ({
      retryKey,
      ...body
    }: {
      to: string
      messages: readonly messagingApi.Message[]
      retryKey: string
    }) => api({ method: 'POST', path: '/v2/bot/message/push', body, retryKey }, nothing),
    /** Why LINE would not take the messages; null where it would, or does not say. Nothing is sent. */
    faultOf: async (messages: readonly messagingApi.Message[]): Promise<string | null> => {
      const path = '/v2/bot/message/validate/push'
      const call = { method: 'POST', path, body: { messages }, deadlineMs: VALIDATE_DEADLINE_MS } as const
      const outcome = await api(call, nothing)
      return outcome.is === 'invalid' && outcome.status === 400 ? outcome.sentence : null
    },
    /** To at most 500 users; one malformed id fails all. */
    multicast: ({
      retryKey,
      ...body
    }: {
      to: readonly string[]
      messages: readonly messagingApi.Message[]
      retryKey: string
    }) => api({ method: 'POST', path: '/v2/bot/message/multicast', body, retryKey }, nothing),
    /** `blocked` for a user who is not a friend of the bot. */
    profile: async (userId: string) =>
      unknownIsBlocked(
        await api({ method: 'GET', path: `/v2/bot/profile/${encodeURIComponent(userId)}` }, profile),
      ),
    /** How many messages a month may have: `type` `none` is no limit, `limited` has a `value`. */
    quota: () => api({ method: 'GET', path: '/v2/bot/message/quota' }, quota),
    /** How many were sent this month; LINE's own number, which lags a little. */
    consumption: () => api({ method: 'GET', path: '/v2/bot/message/quota/consumption' }, consumption),
    /** The bytes, `preparing`, or `too-large`; a message that was taken back is `invalid`. */
    content: (messageId: string, bytesMax: number) =>
      data(
        {
          method: 'GET',
          path: `/v2/bot/message/${encodeURIComponent(messageId)}/content`,
          deadlineMs: CONTENT_DEADLINE_MS,
        },
        (answer) => readContent(answer, bytesMax),
      ),
    richMenu: richMenuCalls({ api, data }),
  }
}

export type LineClient = ReturnType<typeof createLineClient>

async function nothing(answer: Response): Promise<null> {
  await answer.arrayBuffer()
  return null
}

function reader<S extends TSchema>(schema: S): (answer: Response) => Promise<Static<S>> {
  const checked = Compile(schema)
  return async (answer) => {
    const body: unknown = await answer.json()
    if (!checked.Check(body)) throw new Error('LINE answered something unexpected')
    return body
  }
}

const unknownIsBlocked = <T>(outcome: LineOutcome<T>): LineOutcome<T> =>
  outcome.is === 'invalid' && outcome.status === 404 ? { is: 'blocked' } : outcome
