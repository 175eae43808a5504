import { isUserId, newUlid } from './ids.ts'

export type Source =
  | { type: 'user'; userId: string }
  | { type: 'group'; groupId: string; userId?: string }
  | { type: 'room'; roomId: string; userId?: string }
  | { type: string; [name: string]: unknown }

/** A webhook event as LINE sends it; what else it holds depends on its type. */
export type WebhookEvent = {
  type: string
  mode: 'active' | 'standby'
  timestamp: number
  source?: Source
  webhookEventId: string
  deliveryContext: { isRedelivery: boolean }
  replyToken?: string
  message?: { id: string; type: string; [name: string]: unknown }
  postback?: { data: string; params?: Record<string, string> }
  [name: string]: unknown
}

/** What can be said otherwise of any event. */
export type EventOptions = {
  /** `standby`: another module answers this user, and the bot must not. */
  mode?: 'active' | 'standby'
  /** Epoch milliseconds; left out, now. */
  timestampMs?: number
  /** No `source`, as in a failed account link. */
  withoutSource?: boolean
  /** What the page shows in its place: the `displayText` of a button. */
  shownAs?: string | undefined
}

export type Mentionee = {
  index: number
  length: number
  type: 'all' | 'user'
  userId?: string
  isSelf?: boolean
}

/** A user, group or room by its id; `speaker` is who speaks in a group (LINE leaves it out for some). */
export function sourceOf(chatId: string, speaker?: string): Source {
  if (isUserId(chatId)) return { type: 'user', userId: chatId }
  const who = speaker === undefined ? {} : { userId: speaker }
  return chatId.startsWith('C')
    ? { type: 'group', groupId: chatId, ...who }
    : { type: 'room', roomId: chatId, ...who }
}

/** Puts an event together; the time decides its id, so that ids sort as the events happened. */
export function newEvent(
  type: string,
  body: Record<string, unknown>,
  facts: {
    source: Source | undefined
    replyToken: string | undefined
    mode: 'active' | 'standby'
    atMs: number
  },
): WebhookEvent {
  return {
    type,
    ...(facts.replyToken === undefined ? {} : { replyToken: facts.replyToken }),
    ...body,
    webhookEventId: newUlid(facts.atMs),
    deliveryContext: { isRedelivery: false },
    timestamp: facts.atMs,
    ...(facts.source === undefined ? {} : { source: facts.source }),
    mode: facts.mode,
  }
}

/** An event delivered once more: only `isRedelivery` differs. */
export const redelivered = (event: WebhookEvent): WebhookEvent => ({
  ...event,
  deliveryContext: { ...event.deliveryContext, isRedelivery: true },
})
