import { withDeadline } from '@palanquin/service/deadline'
import type { Redis } from '@palanquin/service/redis'
import { entriesOf } from '../stream.ts'
import { EVENT_FIELD, type OrderedQueue, QUEUE_DEADLINE_MS } from './queue.ts'

const PAGE_MAX = 100

/** An event that could not be handled, for an operator to look at. */
export type OrderedDeadLetter = {
  entryId: string
  failedAt: string
  reason: string
  /** What kind of event it was; null when that cannot be read. */
  what: string | null
  /** The event as the queue had it: with personal data. */
  event: string
}

/** Back to the end of the queue. Its id stays seen: a redelivery is still passed over. */
const REQUEUE = `
local found = redis.call('XRANGE', KEYS[2], ARGV[1], ARGV[1])
if #found == 0 then return 0 end
local event = ''
for i = 1, #found[1][2], 2 do
  if found[1][2][i] == '${EVENT_FIELD}' then event = found[1][2][i + 1] end
end
redis.call('XADD', KEYS[1], '*', '${EVENT_FIELD}', event)
redis.call('XDEL', KEYS[2], ARGV[1])
return 1`

const ENTRY_ID = /^\d+-\d+$/

/** The dead letters of a queue. Every call has a deadline and throws when Redis is away. */
export function orderedDeadLetters<E>(redis: Redis, { stream, deadLetters, read, typeOf }: OrderedQueue<E>) {
  const describe = ({ entryId, fields }: ReturnType<typeof entriesOf>[number]): OrderedDeadLetter => {
    const { [EVENT_FIELD]: text = '', reason = '' } = fields ?? {}
    const event = read(text)
    const failedAt = new Date(Number(entryId.split('-')[0])).toISOString()
    return { entryId, failedAt, reason, what: event && typeOf(event), event: text }
  }
  return {
    /** One page, oldest first; `next` is null at the end. */
    list: async (after: string): Promise<{ letters: OrderedDeadLetter[]; next: string | null }> => {
      const from = after === '' ? '-' : `(${after}`
      const entries = entriesOf(await soon(redis.xRange(deadLetters, from, '+', { COUNT: PAGE_MAX })))
      const next = entries.length < PAGE_MAX ? null : (entries.at(-1)?.entryId ?? null)
      return { letters: entries.map(describe), next }
    },
    /** Puts a letter back into the queue; false when there is no such letter. */
    requeue: async (entryId: string): Promise<boolean> =>
      ENTRY_ID.test(entryId) &&
      (await soon(redis.eval(REQUEUE, { keys: [stream, deadLetters], arguments: [entryId] }))) === 1,
    /** Deletes a letter for good; false when there is no such letter. */
    discard: async (entryId: string): Promise<boolean> =>
      ENTRY_ID.test(entryId) && (await soon(redis.xDel(deadLetters, entryId))) === 1,
  }
}

const soon = <T>(work: Promise<T>): Promise<T> =>
  withDeadline(work, { what: 'Redis', deadlineMs: QUEUE_DEADLINE_MS })
