import { withDeadline } from '@palanquin/service/deadline'
import type { Redis } from '@palanquin/service/redis'
import { ensureGroup } from '../consumer-group.ts'
import { BLOCK_MS, entriesOf } from '../stream.ts'
import { EVENT_FIELD, type OrderedQueue, QUEUE_DEADLINE_MS } from './queue.ts'

const BATCH_MAX = 64
/** Before every entry. */
export const BEGINNING = '0-0'
/** Dead letters wait for an operator, but not for ever: they hold what people wrote. */
const DEAD_RETENTION_MS = 7 * 86_400_000
/** Longer than any handler may take: the entry is then another consumer's. */
const CLAIM_IDLE_MS = 90_000

const DONE_SCRIPT = `
redis.call('XACK', KEYS[1], ARGV[1], ARGV[2])
return redis.call('XDEL', KEYS[1], ARGV[2])`

const DEAD_LETTER_SCRIPT = `
redis.call('XACK', KEYS[1], ARGV[1], ARGV[2])
if redis.call('XDEL', KEYS[1], ARGV[2]) == 0 then return 0 end
redis.call('XADD', KEYS[2], '*', '${EVENT_FIELD}', ARGV[3], 'reason', ARGV[4])
local oldestMs = tonumber(redis.call('TIME')[1]) * 1000 - tonumber(ARGV[5])
redis.call('XTRIM', KEYS[2], 'MINID', '~', string.format('%.0f', oldestMs))
return 1`

/** `deliveries`: how often it was taken since its last attempt ended, this time included. */
export type QueueEntry = { entryId: string; event: string | undefined; deliveries: number }

export type OrderedGroupOptions = {
  redis: Redis
  /** `connectRedis({ blocking: true })`, for the reads of this consumer alone. */
  blocking: Redis
  /** Names this process, and the same one after a restart. */
  consumer: string
  claimIdleMs?: number
}

/** A queue's consumer group in Redis; every call has a deadline and throws when Redis is away. */
export function orderedGroup(
  { stream, deadLetters, group }: Pick<OrderedQueue<unknown>, 'stream' | 'deadLetters' | 'group'>,
  { redis, blocking, consumer, claimIdleMs = CLAIM_IDLE_MS }: OrderedGroupOptions,
) {
  const soon = <T>(work: Promise<T>, deadlineMs = QUEUE_DEADLINE_MS) =>
    withDeadline(work, { what: 'Redis', deadlineMs })
  const entries = (messages: unknown): QueueEntry[] =>
    entriesOf(messages).map(({ entryId, fields }) => ({
      entryId,
      event: fields?.[EVENT_FIELD],
      deliveries: 1,
    }))

  return {
    ensure: () => ensureGroup(redis, stream, group),
    /** Events that no consumer has yet; waits a second for some. */
    readNew: async (countMax: number): Promise<QueueEntry[]> => {
      const options = { COUNT: Math.min(countMax, BATCH_MAX), BLOCK: BLOCK_MS }
      const read = blocking.xReadGroup(group, consumer, { key: stream, id: '>' }, options)
      return entries((await soon(read, BLOCK_MS + QUEUE_DEADLINE_MS))?.[0]?.messages)
    },
    /** Events behind `after` that this consumer, or one that is gone, did not finish, but for those under way. */
    readUnfinished: async (
      whose: 'own' | 'abandoned',
      after: string,
      isUnderWay: (entryId: string) => boolean,
    ): Promise<{ entries: QueueEntry[]; last: string | undefined }> => {
      const [filter, idleMs] = whose === 'own' ? [{ consumer }, 0] : [{ IDLE: claimIdleMs }, claimIdleMs]
      const waiting = await soon(redis.xPendingRange(stream, group, `(${after}`, '+', BATCH_MAX, filter))
      const last = waiting.length === BATCH_MAX ? waiting.at(-1)?.id : undefined
      const ids = waiting.map(({ id }) => id).filter((id) => !isUnderWay(id))
      if (ids.length === 0) return { entries: [], last }
      const claimed = entries(await soon(redis.xClaim(stream, group, consumer, idleMs, ids)))
      const deliveries = new Map(waiting.map(({ id, deliveriesCounter }) => [id, deliveriesCounter + 1]))
      return {
        entries: claimed.map((entry) => ({ ...entry, deliveries: deliveries.get(entry.entryId) ?? 1 })),
        last,
      }
    },
    /** Another attempt follows here: no other consumer claims the event, and its deliveries count from 0. */
    keep: async (entryId: string): Promise<void> => {
      await soon(redis.xClaimJustId(stream, group, consumer, 0, entryId, { RETRYCOUNT: 0 }))
    },
    done: async (entryId: string): Promise<void> => {
      await soon(redis.eval(DONE_SCRIPT, { keys: [stream], arguments: [group, entryId] }))
    },
    deadLetter: async ({ entryId, event = '' }: QueueEntry, reason: string): Promise<void> => {
      const details = [group, entryId, event, reason, String(DEAD_RETENTION_MS)]
      await soon(redis.eval(DEAD_LETTER_SCRIPT, { keys: [stream, deadLetters], arguments: details }))
    },
  }
}

export type OrderedGroup = ReturnType<typeof orderedGroup>
