import { BatchLoader } from '@palanquin/service/batch-loader'
import { withDeadline } from '@palanquin/service/deadline'
import type { Redis } from '@palanquin/service/redis'
import { runScript } from '@palanquin/service/redis-script'
import { elementsOf } from './buffer-reader.ts'
import { type CacheEntry, keysOf } from './cache-entry.ts'
import { READ_BUFFERED, READ_ENTRIES, WRITE_ENTRIES } from './cache-scripts.ts'

/** Specification 8: statistics cache. */
const STATISTICS_TTL_MS = 60_000
export const CACHE_DEADLINE_MS = 500
/** Blocks Redis for about a millisecond. */
const PEOPLE_PER_SCRIPT_MAX = 64

/** On a cluster a script has the keys of one shard. */
const sizeMaxOf = (redis: Redis): number => (redis.isCluster ? 1 : PEOPLE_PER_SCRIPT_MAX)

/** A raw entry, empty where there is none; how far the shard was flushed; pending check-ins as tracking writes them. */
export type EntryState = { raw: string; flushed: string; pending: string[] }

/** Reads entries, those of one event-loop tick in one round trip. */
export function entryLoader(redis: Redis, deadlineMs: number): BatchLoader<string, EntryState> {
  const loadAll = async (userIds: readonly string[]): Promise<EntryState[]> => {
    const people = userIds.map(keysOf)
    const keys = [
      ...people.flatMap(({ statistics, flushed }) => [statistics, flushed]),
      ...people.map(({ pending }) => pending),
    ]
    const known = await listFrom(runScript(redis, READ_ENTRIES, { keys, args: [] }), deadlineMs)
    return people.map((_, at) => ({
      raw: textOf(known[at * 2]),
      flushed: textOf(known[at * 2 + 1]),
      pending: elementsOf(known[people.length * 2 + at]),
    }))
  }
  return new BatchLoader({ loadAll, sizeMax: sizeMaxOf(redis) })
}

/** Whether tracking's buffer has points that wait, and the number of the shard's erasures. */
export type BufferState = { isWaiting: boolean; erasures: string }

/** Reads what only those need who have no fresh entry, those of one event-loop tick in one round trip. */
export function bufferLoader(redis: Redis, deadlineMs: number): BatchLoader<string, BufferState> {
  const loadAll = async (userIds: readonly string[]): Promise<BufferState[]> => {
    const keys = userIds.map(keysOf).flatMap(({ waiting, erasures }) => [waiting, erasures])
    const known = await listFrom(runScript(redis, READ_BUFFERED, { keys, args: userIds }), deadlineMs)
    return userIds.map((_, at) => ({
      isWaiting: known[at * 2] === 1,
      erasures: textOf(known[at * 2 + 1]),
    }))
  }
  return new BatchLoader({ loadAll, sizeMax: sizeMaxOf(redis) })
}

async function listFrom(reply: Promise<unknown>, deadlineMs: number): Promise<unknown[]> {
  const list = await withDeadline(reply, { what: 'Redis', deadlineMs })
  if (!Array.isArray(list)) throw new TypeError('the cache script returned no list')
  return list
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

/** An entry to be written, and what must be unchanged since its participant was read. */
type Write = { userId: string; entry: CacheEntry; raw: string; erasures: string }

/** Writes entries by `WRITE_ENTRIES`, those of one event-loop tick in one round trip. */
export function entryWriter(redis: Redis, deadlineMs: number): BatchLoader<Write, true> {
  const writeAll = async (writes: readonly Write[]): Promise<true[]> => {
    const keys = writes.flatMap(({ userId }) => [keysOf(userId).statistics, keysOf(userId).erasures])
    const args = writes.flatMap(({ raw, erasures, entry }) => [raw, erasures, JSON.stringify(entry)])
    const all = { keys, args: [String(STATISTICS_TTL_MS), ...args] }
    await withDeadline(runScript(redis, WRITE_ENTRIES, all), { what: 'Redis', deadlineMs })
    return writes.map(() => true)
  }
  return new BatchLoader({ loadAll: writeAll, sizeMax: sizeMaxOf(redis) })
}
