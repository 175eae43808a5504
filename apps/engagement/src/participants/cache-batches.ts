import { BatchLoader } from '@palanquin/service/batching'
import { withDeadline } from '@palanquin/service/deadline'
import type { Redis } from '@palanquin/service/redis'
import { runScript } from '@palanquin/service/redis-script'
import { keysOf } from './cache-keys.ts'
import { READ_BUFFERED, WRITE_ENTRIES } from './cache-scripts.ts'

/** Specification 8: statistics cache. */
const STATISTICS_TTL_MS = 60_000
/** Blocks Redis for about a millisecond. */
const PEOPLE_PER_SCRIPT_MAX = 64

/** On a cluster a script has the keys of one shard. */
const sizeMaxOf = (redis: Redis): number => (redis.isCluster ? 1 : PEOPLE_PER_SCRIPT_MAX)

/** Whether tracking's buffer has points that wait, and the number of the shard's erasures. */
export type BufferState = { isWaiting: boolean; erasures: string }

/** Reads what only those need who have no fresh entry, those of one event-loop tick in one round trip. */
export function bufferLoader(redis: Redis, deadlineMs: number): BatchLoader<string, BufferState> {
  const loadAll = async (userIds: readonly string[]): Promise<BufferState[]> => {
    const keys = userIds.map(keysOf).flatMap(({ waiting, erasures }) => [waiting, erasures])
    const read = runScript(redis, READ_BUFFERED, { keys, args: userIds })
    const known = await withDeadline(read, { what: 'Redis', deadlineMs })
    if (!Array.isArray(known)) throw new TypeError('the cache script returned no list')
    return userIds.map((_, at) => {
      const erasures: unknown = known[at * 2 + 1]
      return { isWaiting: known[at * 2] === 1, erasures: typeof erasures === 'string' ? erasures : '' }
    })
  }
  return new BatchLoader({ loadAll, sizeMax: sizeMaxOf(redis) })
}

/** An entry to be written, and what must be unchanged since its participant was read. */
type Write = { userId: string; entry: string; raw: string; erasures: string }

/** Writes entries by `WRITE_ENTRIES`, those of one event-loop tick in one round trip. */
export function entryWriter(redis: Redis, deadlineMs: number): BatchLoader<Write, true> {
  const writeAll = async (writes: readonly Write[]): Promise<true[]> => {
    const keys = writes.flatMap(({ userId }) => [keysOf(userId).statistics, keysOf(userId).erasures])
    const args = writes.flatMap(({ raw, erasures, entry }) => [raw, erasures, entry])
    const all = { keys, args: [String(STATISTICS_TTL_MS), ...args] }
    await withDeadline(runScript(redis, WRITE_ENTRIES, all), { what: 'Redis', deadlineMs })
    return writes.map(() => true)
  }
  return new BatchLoader({ loadAll: writeAll, sizeMax: sizeMaxOf(redis) })
}
