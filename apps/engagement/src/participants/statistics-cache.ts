import { randomUUID } from 'node:crypto'
import { BatchLoader } from '@palanquin/service/batch-loader'
import { withDeadline } from '@palanquin/service/deadline'
import { StoreUnavailable } from '@palanquin/service/http/api-error'
import type { Log } from '@palanquin/service/log'
import type { Redis } from '@palanquin/service/redis'
import { runScript } from '@palanquin/service/redis-script'
import { elementsOf } from './buffer-reader.ts'
import { type CacheEntry, keysOf, readEntry } from './cache-entry.ts'
import { ERASE_ENTRY, READ_STATES, REPLIES_PER_PARTICIPANT, WRITE_ENTRY } from './cache-scripts.ts'
import { type PendingCheckin, readPending } from './pending-checkins.ts'
import type { Snapshot } from './snapshot.ts'

/** Specification 8: statistics cache. */
const STATISTICS_TTL_MS = 60_000
/** Outlives every reader that read the database before a write (their deadline is 3 s). */
const DROPPED_TTL_MS = 10_000
const REDIS = { what: 'Redis', deadlineMs: 500 }
/** An erasure waits for a busy Redis. */
const REDIS_DURING_ERASURE = { what: 'Redis', deadlineMs: 5_000 }
/** Beyond it, entries simply expire. */
const DROPS_TO_RETRY_MAX = 10_000
/** Blocks Redis for about a millisecond. */
const STATES_PER_SCRIPT_MAX = 64

/** What Redis knows of a participant. */
type CachedState = {
  pending: PendingCheckin[]
  /** Whether tracking's buffer has any point of them: that makes them known before the first flush. */
  isBuffered: boolean
  /** The cached snapshot; `fresh` when nothing was flushed or checked in since. */
  cached: { snapshot: Snapshot; fresh: boolean } | null
  /** The raw entry and its version: a later `write` requires both unchanged. */
  raw: string | null
  version: string
  /** Number of erasures in the shard. */
  erasures: string
}

export type StatisticsCache = ReturnType<typeof createStatisticsCache>

/**
 * Caches snapshots under `{sNN}:stats:<userId>`. An entry is valid while the shard's `flushed` key and the last pending
 * check-in are unchanged. Without Redis every read is null and the database is used.
 */
export function createStatisticsCache({ redis, log }: { redis: Redis; log: Log }) {
  const dropsToRetry = new Set<string>()
  const orNull = async <T>(work: Promise<T>): Promise<T | null> => {
    try {
      return await withDeadline(work, REDIS)
    } catch (error) {
      log.debug(
        { event: 'cache.unavailable', reason: String(error) },
        'Statistics are served without the cache',
      )
      return null
    }
  }

  const loadAll = async (userIds: readonly string[]): Promise<unknown[][]> => {
    const keys = userIds
      .map(keysOf)
      .flatMap((of) => [of.statistics, of.pending, of.flushed, of.waiting, of.erasures])
    const states = await withDeadline(runScript(redis, READ_STATES, { keys, args: userIds }), REDIS)
    if (!Array.isArray(states)) throw new TypeError('the cache script returned no list')
    const size = REPLIES_PER_PARTICIPANT
    return userIds.map((_, at) => states.slice(at * size, (at + 1) * size))
  }
  const loader = new BatchLoader({ loadAll, sizeMax: redis.isCluster ? 1 : STATES_PER_SCRIPT_MAX })

  /** One round trip for all reads of an event-loop tick. Null when Redis is away. */
  const read = async (userId: string): Promise<CachedState | null> => {
    const state = await orNull(loader.load(userId))
    if (!state) return null
    const [raw, pending, flushed, isWaiting, erased] = state
    const elements = elementsOf(pending)
    const version = `${textOrNull(flushed) ?? ''} ${elements.at(-1) ?? ''}`
    const entry = dropsToRetry.has(userId) ? null : readEntry(textOrNull(raw))
    return {
      pending: readPending(elements),
      isBuffered: elements.length > 0 || isWaiting === 1,
      cached: entry && { snapshot: entry.snapshot, fresh: entry.version === version },
      raw: textOrNull(raw),
      version,
      erasures: textOrNull(erased) ?? '',
    }
  }

  /** Stores a snapshot unless the entry was written or dropped since `read`. */
  const write = async (userId: string, state: CachedState, snapshot: Snapshot): Promise<void> => {
    const { raw, version, erasures } = state
    const entry: CacheEntry = { version, snapshot }
    const keys = keysOf(userId)
    const args = [raw ?? '', erasures, JSON.stringify(entry), String(STATISTICS_TTL_MS)]
    await orNull(runScript(redis, WRITE_ENTRY, { keys: [keys.statistics, keys.erasures], args }))
  }

  /** Removes the entry; a reader who read the row before its erasure cannot write it back. @throws StoreUnavailable */
  const erase = async (userId: string): Promise<void> => {
    const keys = keysOf(userId)
    dropsToRetry.delete(userId)
    try {
      const erased = runScript(redis, ERASE_ENTRY, { keys: [keys.statistics, keys.erasures], args: [] })
      await withDeadline(erased, REDIS_DURING_ERASURE)
    } catch (error) {
      throw new StoreUnavailable('cache', error)
    }
  }

  /** Replaces the entry by a tombstone, so that a reader who read before the write cannot write the old snapshot. */
  const drop = async (userId: string): Promise<void> => {
    const expiration = { type: 'PX', value: DROPPED_TTL_MS } as const
    const dropped = await orNull(
      redis.set(keysOf(userId).statistics, `dropped ${randomUUID()}`, { expiration }),
    )
    if (dropped) dropsToRetry.delete(userId)
    else if (dropsToRetry.size < DROPS_TO_RETRY_MAX) dropsToRetry.add(userId)
  }

  /** Repeats drops that failed while Redis was away. */
  const retryDrops = async (): Promise<void> => {
    if (redis.isReady) for (const userId of dropsToRetry) await drop(userId)
  }

  return { read, write, drop, erase, retryDrops }
}

const textOrNull = (value: unknown): string | null => (typeof value === 'string' ? value : null)
