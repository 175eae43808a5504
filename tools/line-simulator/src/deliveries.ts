import type { messagingApi } from '@line/bot-sdk'

export type Way = 'reply' | 'push' | 'multicast' | 'narrowcast' | 'broadcast'

/** One message that arrived in one chat. */
export type Delivery = {
  /** The user, group or room that got it. */
  to: string
  message: messagingApi.Message
  messageId: string
  by: Way
  requestId: string
  retryKey: string | undefined
  atMs: number
}

/** What all chats received, in the order of arrival. */
export function createDeliveries() {
  const chats = new Map<string, Delivery[]>()
  const received = (to: string): Delivery[] => chats.get(to) ?? []
  return {
    add: (delivery: Delivery): void => {
      const chat = chats.get(delivery.to)
      if (chat) chat.push(delivery)
      else chats.set(delivery.to, [delivery])
    },
    received,
    all: (): Delivery[] => [...chats.values()].flat(),
    /** The chats that received the very same message more than once, with how often. */
    repeated: (): { to: string; times: number; message: messagingApi.Message }[] =>
      [...chats].flatMap(([to, chat]) => {
        const times = Map.groupBy(chat, ({ message }) => JSON.stringify(message))
        return [...times.values()].flatMap((same) =>
          same.length > 1 && same[0] ? [{ to, times: same.length, message: same[0].message }] : [],
        )
      }),
    /** Forgets them: the next assertion starts from here. */
    clear: (): void => chats.clear(),
  }
}
