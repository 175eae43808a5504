import { entriesOf } from '@palanquin/events/stream'
import { withDeadline } from '@palanquin/service/deadline'
import type { Redis } from '@palanquin/service/redis'
import { readInbound } from './inbound.ts'
import { DEAD, INBOX, REDIS_DEADLINE_MS } from './keys.ts'

const PAGE_MAX = 100
/** How a person tells it from a dead letter of the event bus, which are named alike. */
const PREFIX = 'chat:'

/** A message of the chat that could not be handled, for a person to look at. */
export type DeadLetter = {
  /** `chat:` and its place in the stream. */
  id: string
  failedAt: string
  reason: string
  /** What kind of event it was; null when that cannot be read. */
  what: string | null
  /** The event as the inbox had it: with who wrote it, and what. */
  event: string
}

/** Back to the end of the inbox, to be tried five more times. That its id was seen stays: LINE's own repeat is still none. */
const REQUEUE = `
local found = redis.call('XRANGE', KEYS[2], ARGV[1], ARGV[1])
if #found == 0 then return 0 end
local event = ''
for i = 1, #found[1][2], 2 do if found[1][2][i] == 'event' then event = found[1][2][i + 1] end end
redis.call('XADD', KEYS[1], '*', 'event', event)
redis.call('XDEL', KEYS[2], ARGV[1])
return 1`

const ENTRY_ID = /^\d+-\d+$/

/** Its place in the stream; null when the name is none. */
function entryIdOf(id: string): string | null {
  const entryId = id.startsWith(PREFIX) ? id.slice(PREFIX.length) : id
  return ENTRY_ID.test(entryId) ? entryId : null
}

/** One page, oldest first; `next` is null at the end. */
export async function listDeadLetters(
  redis: Redis,
  after = '',
): Promise<{ letters: DeadLetter[]; next: string | null }> {
  const from = after === '' ? '-' : `(${after}`
  const entries = entriesOf(await soon(redis.xRange(DEAD, from, '+', { COUNT: PAGE_MAX })))
  const letters = entries.map(({ entryId, fields }): DeadLetter => {
    const { event = '', reason = '' } = fields ?? {}
    return {
      id: `${PREFIX}${entryId}`,
      failedAt: new Date(Number(entryId.split('-')[0])).toISOString(),
      reason,
      what: readInbound(event)?.what.type ?? null,
      event,
    }
  })
  return { letters, next: entries.length < PAGE_MAX ? null : (entries.at(-1)?.entryId ?? null) }
}

/** Puts a message back into the inbox; false when there is no such message. */
export async function requeueDeadLetter(redis: Redis, id: string): Promise<boolean> {
  const entryId = entryIdOf(id)
  if (entryId === null) return false
  return (await soon(redis.eval(REQUEUE, { keys: [INBOX, DEAD], arguments: [entryId] }))) === 1
}

/** Throws a message away for good; false when there is no such message. */
export async function discardDeadLetter(redis: Redis, id: string): Promise<boolean> {
  const entryId = entryIdOf(id)
  return entryId !== null && (await soon(redis.xDel(DEAD, entryId))) === 1
}

const soon = <T>(work: Promise<T>): Promise<T> =>
  withDeadline(work, { what: 'Redis', deadlineMs: REDIS_DEADLINE_MS })
