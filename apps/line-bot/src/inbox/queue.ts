import type { OrderedQueue } from '@palanquin/events/ordered/queue'
import { type Inbound, readInbound } from './inbound.ts'

/** Webhook events that wait for the conversation, in order for each LINE user. */
export const INBOX: OrderedQueue<Inbound> = {
  name: 'inbox',
  stream: '{line}:inbox',
  deadLetters: '{line}:dead',
  seenKey: (eventId) => `{line}:seen:${eventId}`,
  group: 'conversation',
  read: readInbound,
  idOf: ({ id }) => id,
  keyOf: ({ userId }) => userId,
  typeOf: ({ what }) => what.type,
}
