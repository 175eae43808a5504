import { withDeadline } from '@palanquin/service/deadline'
import type { Redis } from '@palanquin/service/redis'
import { type Entry, entriesOf } from '../stream.ts'

/** A stream that one group consumes: each event once, those with one key in order. Handled ones are deleted. */
export type OrderedQueue<E> = {
  /** Names it in metrics and logs. */
  name: string
  /** Redis keys of the stream and of its dead letters. */
  stream: string
  deadLetters: string
  /** The Redis key that says that an event was taken in. */
  seenKey: (id: string) => string
  group: string
  /** An event out of the text of an entry; null when it is none. */
  read: (text: string | undefined) => E | null
  idOf: (event: E) => string
  /** Events of one key are handled one after another; null for an event that needs no order. */
  keyOf: (event: E) => string | null
  /** Its type, for logs and operators: without personal data. */
  typeOf: (event: E) => string
}

/** The field of an entry that has the event. */
export const EVENT_FIELD = 'event'
/** A caller may be waiting: shorter than the bus allows itself. */
export const QUEUE_DEADLINE_MS = 1_000
const PAGE_ENTRIES = 500

/** Everything in a stream, page by page. @throws when Redis is away */
export async function* entriesIn(
  redis: Redis,
  stream: string,
  deadlineMs = QUEUE_DEADLINE_MS,
): AsyncGenerator<Entry[]> {
  for (let from = '-'; ; ) {
    const read = redis.xRange(stream, from, '+', { COUNT: PAGE_ENTRIES })
    const page = entriesOf(await withDeadline(read, { what: 'Redis', deadlineMs }))
    if (page.length > 0) yield page
    const last = page.at(-1)
    if (!last || page.length < PAGE_ENTRIES) return
    from = `(${last.entryId}`
  }
}
