import { newToken } from './ids.ts'

/** LINE promises about a minute, counted from each delivery of the webhook. */
const REPLY_WINDOW_MS = 60_000
const EVENT_AGE_MS_MAX = 20 * 60_000

type ReplyToken = { chatId: string; bornMs: number; deliveredMs: number; used: boolean }

export function createReplyTokens(now: () => number) {
  const tokens = new Map<string, ReplyToken>()
  return {
    issue: (chatId: string): string => {
      const token = newToken()
      tokens.set(token, { chatId, bornMs: now(), deliveredMs: now(), used: false })
      return token
    },
    /** A webhook with it goes out again: its minute starts over. */
    delivered: (token: string): void => {
      const known = tokens.get(token)
      if (known) known.deliveredMs = now()
    },
    /** The chat that a token answers to; undefined when it is unknown, used or too old. */
    chatOf: (token: string): string | undefined => {
      const known = tokens.get(token)
      if (!known || known.used) return undefined
      const fresh = now() - known.deliveredMs <= REPLY_WINDOW_MS && now() - known.bornMs <= EVENT_AGE_MS_MAX
      return fresh ? known.chatId : undefined
    },
    use: (token: string): void => {
      const known = tokens.get(token)
      if (known) known.used = true
    },
  }
}
