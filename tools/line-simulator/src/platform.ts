import type { messagingApi } from '@line/bot-sdk'
import { createContents } from './contents.ts'
import { createDeliveries, type Way } from './deliveries.ts'
import type { WebhookEvent } from './events.ts'
import { createFaults } from './faults.ts'
import { createIdTokens } from './id-tokens.ts'
import { idOf } from './ids.ts'
import { createLoginCodes } from './login-codes.ts'
import { createPeople, type Person } from './people.ts'
import { createQuota } from './quota.ts'
import { createRates } from './rates.ts'
import { createReplyTokens } from './reply-tokens.ts'
import { createRetryKeys } from './retry-keys.ts'
import { createRichMenus } from './rich-menus.ts'

export type Channel = {
  channelSecret: string
  channelAccessToken: string
  /** Of LINE Login: the audience of LIFF's ID tokens. */
  loginChannelId: string
  botUserId: string
}

export type PlatformOptions = Partial<Channel> & {
  /** Epoch milliseconds; left out, the machine's clock, which `clock.advance` puts forward. */
  now?: (() => number) | undefined
  /** Messages a month; null (left out) for no limit. */
  quota?: number | null | undefined
  /** Of faults by chance. */
  seed?: number | undefined
  /** Called with every call of the API. */
  onCall?: ((call: ApiCall) => void) | undefined
}

/** One line of a chat as the page shows it. */
export type TalkLine = { atMs: number } & (
  | { from: 'bot'; message: messagingApi.Message; by: Way }
  | { from: 'user'; event: WebhookEvent; shownAs?: string | undefined }
)
/** One call of LINE's API. */
export type ApiCall = {
  atMs: number
  method: string
  path: string
  endpoint: string
  status: number
  retryKey?: string
}

/** Calls, and lines of one chat, that are kept. */
const CALLS_KEPT_MAX = 200_000
const LINES_KEPT_MAX = 1_000

export type Platform = ReturnType<typeof createPlatform>

/** All that LINE knows of one bot and its users, without the HTTP around it. */
export function createPlatform(options: PlatformOptions = {}) {
  let aheadMs = 0
  const now = () => (options.now ?? Date.now)() + aheadMs
  const channel: Channel = {
    channelSecret: options.channelSecret ?? 'stub-channel-secret-0123456789abcdef',
    channelAccessToken: options.channelAccessToken ?? 'stub-channel-access-token-0123456789abcdef',
    loginChannelId: options.loginChannelId ?? '1656000000',
    botUserId: options.botUserId ?? idOf('U', 'the bot'),
  }
  const deliveries = createDeliveries()
  const calls: ApiCall[] = []
  const talk = new Map<string, TalkLine[]>()
  const listeners = new Set<() => void>()
  const changed = () => {
    for (const listener of listeners) listener()
  }
  return {
    channel,
    clock: {
      now,
      /** Puts this LINE's clock forward: reply tokens, retry keys, quota and rates grow older by it. */
      advance: (ms: number): void => {
        aheadMs += ms
      },
    },
    people: createPeople(),
    deliveries,
    contents: createContents(),
    replyTokens: createReplyTokens(now),
    retryKeys: createRetryKeys(now),
    quota: createQuota({ now, limit: options.quota ?? null }),
    rates: createRates(now),
    faults: createFaults(options.seed),
    richMenus: createRichMenus(),
    idTokens: createIdTokens({
      now,
      channelId: channel.loginChannelId,
      channelSecret: channel.channelSecret,
    }),
    loginCodes: createLoginCodes(now),
    /** Every call that the bot made, in order. */
    calls: () => calls.slice(),
    noteCall: (call: ApiCall): void => {
      if (calls.length < CALLS_KEPT_MAX) calls.push(call)
      options.onCall?.(call)
    },
    /** What was said in a chat by both sides, in order. */
    talk: (chatId: string): TalkLine[] => talk.get(chatId) ?? [],
    say: (chatId: string, line: TalkLine): void => {
      const chat = talk.get(chatId) ?? []
      if (chat.length >= LINES_KEPT_MAX) chat.shift()
      chat.push(line)
      talk.set(chatId, chat)
      changed()
    },
    changed,
    /** Calls back after every change that the page shows; comes back with the end of that. */
    onChange: (listener: () => void): (() => void) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}

/** Whether a message gets through to a person: a blocked one is answered 200 and dropped, as LINE does. */
export const isReached = (person: Person | undefined): boolean => person?.relation === 'friend'
