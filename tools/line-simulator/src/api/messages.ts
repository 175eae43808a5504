import type { messagingApi } from '@line/bot-sdk'
import type { Way } from '../deliveries.ts'
import { isUserId, newMessageId, newQuoteToken } from '../ids.ts'
import { isReached, type Platform } from '../platform.ts'
import { isRetryKey, type SentMessage } from '../retry-keys.ts'
import { type Answer, apiError, type Call, ok } from './answer.ts'

const MONTHLY = 'You have reached your monthly limit.'

/** A sending that was read and judged. */
export type Sending = {
  by: Way
  messages: messagingApi.Message[]
  /** Chats that the bot addressed, reached or not. */
  to: string[]
  /** The answer's body has the ids of the messages (push and reply). */
  returnsIds: boolean
  /** A reply costs nothing. */
  counted: boolean
  status: number
}

/** Accepts a sending: its retry key, the quota, and the deliveries to everybody who can be reached. */
export function accept(call: Call, sending: Sending): Answer {
  const { platform, headers, requestId } = call
  const retryKey = headers.get('x-line-retry-key') ?? undefined
  if (retryKey !== undefined) {
    const refused = errorOfRetryKey(platform, retryKey)
    if (refused) return refused
  }
  const reached = sending.to.filter((chatId) => reaches(platform, chatId, sending.by))
  const cost = sending.counted ? reached.reduce((sum, chatId) => sum + headsOf(platform, chatId), 0) : 0
  if (cost > 0 && !platform.quota.allows(cost)) return apiError(429, MONTHLY)
  platform.quota.consume(cost)
  const numbered = sending.messages.map((message) => ({ message, messageId: newMessageId() }))
  for (const to of reached)
    for (const { message, messageId } of numbered)
      deliver(platform, { to, message, messageId, by: sending.by, requestId, retryKey })
  const sentMessages = sending.returnsIds ? numbered.map(sentMessageOf) : undefined
  if (retryKey !== undefined) platform.retryKeys.accept(retryKey, { requestId, sentMessages })
  return ok(sentMessages ? { sentMessages } : {}, sending.status)
}

export const monthlyLimit = (): Answer => apiError(429, MONTHLY)

function errorOfRetryKey(platform: Platform, retryKey: string): Answer | undefined {
  if (!isRetryKey(retryKey)) return apiError(400, 'The retry key is invalid: a UUID is expected')
  const accepted = platform.retryKeys.find(retryKey)
  if (!accepted) return undefined
  const { requestId, sentMessages } = accepted
  return {
    status: 409,
    body: { message: 'The retry key is already accepted', ...(sentMessages ? { sentMessages } : {}) },
    headers: { 'x-line-accepted-request-id': requestId },
  }
}

/** A reply also reaches someone who has not added the bot and has just written. */
function reaches(platform: Platform, chatId: string, by: Way): boolean {
  if (!isUserId(chatId)) return platform.people.group(chatId) !== undefined
  const person = platform.people.find(chatId)
  return isReached(person) || (by === 'reply' && person?.relation === 'none')
}

/** The quota counts heads: a group is as many as are in it. */
const headsOf = ({ people }: Platform, chatId: string): number => people.group(chatId)?.members.length ?? 1

type Arrival = Parameters<Platform['deliveries']['add']>[0]
function deliver(platform: Platform, arrival: Omit<Arrival, 'atMs'>): void {
  const atMs = platform.clock.now()
  platform.deliveries.add({ ...arrival, atMs })
  platform.say(arrival.to, { from: 'bot', message: arrival.message, by: arrival.by, atMs })
}

function sentMessageOf({
  message,
  messageId,
}: {
  message: messagingApi.Message
  messageId: string
}): SentMessage {
  const quotable = ['text', 'textV2', 'sticker', 'image', 'video', 'template', 'flex'].includes(message.type)
  return { id: messageId, ...(quotable ? { quoteToken: newQuoteToken() } : {}) }
}
