import { randomUUID } from 'node:crypto'
import { withDeadline } from '@palanquin/service/deadline'
import { StoreUnavailable } from '@palanquin/service/http/api-error'
import type { Log } from '@palanquin/service/log'
import type { Redis } from '@palanquin/service/redis'
import { runScript } from '@palanquin/service/redis-script'
import { bufferLoader, CACHE_DEADLINE_MS, entryLoader, entryWriter } from './cache-batches.ts'
import { keysOf, readEntry } from './cache-entry.ts'
import { ERASE_ENTRY } from './cache-scripts.ts'
import { type PendingCheckin, readPending } from './pending-checkins.ts'
import type { Snapshot } from './snapshot.ts'

/** Outlives every reader that read the database before a write (their deadline is 3 s). */
const DROPPED_TTL_MS = 10_000
/** An erasure waits for a busy Redis. */
const REDIS_DURING_ERASURE = { what: 'Redis', deadlineMs: 5_000 }
/** Beyond it, entries simply expire. */
const DROPS_TO_RETRY_MAX = 10_000

/** What Redis knows of a participant. */
type Known = {
  pending: PendingCheckin[]
  /** The raw entry and its version: a later `write` requires both unchanged. */
  raw: string
  version: string
}
/** Nothing was flushed or checked in since the snapshot was cached. */
type Fresh = Known & { fresh: Snapshot }
type Stale = Known & {
  fresh?: undefined
  /** A snapshot that was overtaken. */
  stale: Snapshot | null
  /** Whether tracking's buffer has any point of them: that makes them known before the first flush. */
  isBuffered: boolean
  /** Number of erasures in the shard. */
  erasures: string
}
export type CachedState = Fresh | Stale

export type StatisticsCache = ReturnType<typeof createStatisticsCache>

/**
 * Caches snapshots under `{sNN}:stats:<userId>`. An entry is valid while the shard's `flushed` key and the last pending
 * check-in are unchanged. Without Redis every read is null and the database is used.
 */
export function createStatisticsCache({
  redis,
  log,
  redisDeadlineMs: deadlineMs = CACHE_DEADLINE_MS,
}: {
  redis: Redis
  log: Log
  redisDeadlineMs?: number | undefined
}) {
  const dropsToRetry = new Set<string>()
  /** `work` has a deadline of its own: one for all of a tick costs less than one for each. */
  const orNull = async <T>(work: Promise<T>): Promise<T | null> => {
    try {
      return await work
    } catch (error) {
      log.debug(
        { event: 'cache.unavailable', reason: String(error) },
        'Statistics are served without the cache',
      )
      return null
    }
  }

  const entries = entryLoader(redis, deadlineMs)
  const buffers = bufferLoader(redis, deadlineMs)
  const writer = entryWriter(redis, deadlineMs)

  /** One round trip for all reads of an event-loop tick, and another for those without a fresh entry. Null when Redis is away. */
  const read = async (userId: string): Promise<CachedState | null> => {
    const state = await orNull(entries.load(userId))
    if (!state) return null
    const { raw, flushed, pending } = state
    const version = `${flushed} ${pending.at(-1) ?? ''}`
    const entry = dropsToRetry.has(userId) ? null : readEntry(raw)
    const known = { pending: readPending(pending), raw, version }
    if (entry?.version === version) return { ...known, fresh: entry.snapshot }
    const buffered = await orNull(buffers.load(userId))
    if (!buffered) return null
    const { isWaiting, erasures } = buffered
    return { ...known, isBuffered: pending.length > 0 || isWaiting, stale: entry?.snapshot ?? null, erasures }
  }

  /** Stores a snapshot unless the entry was written or dropped since `read`. One round trip for all of a tick. */
  const write = async (userId: string, state: Stale, snapshot: Snapshot): Promise<void> => {
    const { raw, version, erasures } = state
    await orNull(writer.load({ userId, raw, erasures, entry: { version, snapshot } }))
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
    const written = redis.set(keysOf(userId).statistics, `dropped ${randomUUID()}`, { expiration })
    const dropped = await orNull(withDeadline(written, { what: 'Redis', deadlineMs }))
    if (dropped) dropsToRetry.delete(userId)
    else if (dropsToRetry.size < DROPS_TO_RETRY_MAX) dropsToRetry.add(userId)
  }

  /** Repeats drops that failed while Redis was away. */
  const retryDrops = async (): Promise<void> => {
    if (redis.isReady) for (const userId of dropsToRetry) await drop(userId)
  }

  return { read, write, drop, erase, retryDrops }
}
