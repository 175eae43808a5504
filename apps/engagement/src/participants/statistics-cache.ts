import type { LevelKm } from '@palanquin/domain/level'
import { BatchLoader } from '@palanquin/service/batching'
import type { Log } from '@palanquin/service/log'
import type { Redis } from '@palanquin/service/redis'
import { elementsOf } from './buffer-reader.ts'
import { bufferLoader, entryWriter } from './cache-batches.ts'
import { cacheDrops } from './cache-drops.ts'
import { type BasedProfile, entryFormat } from './cache-entry.ts'
import { type PendingCheckin, readPending } from './pending-checkins.ts'
import { type EntryState, readEntries } from './read-entries.ts'

const CACHE_DEADLINE_MS = 500
/** Of so many participants the pending check-ins are remembered for when Redis is away: some 10 MB. */
const REMEMBERED_MAX = 50_000
/** Reads of one tick of the event loop that are made together. */
const READS_MAX = 256

/** What a look into the cache found. */
export type Found = {
  /** The raw entry and its version: a later `write` requires both unchanged. */
  raw: string
  version: string
  /** As tracking writes them, joined by spaces. */
  pending: string
  /** The finished response where nothing was flushed or checked in since it was cached. */
  response: string | undefined
}
/** Nothing was flushed or checked in since the profile was cached. */
type Fresh = { pending: PendingCheckin[]; fresh: BasedProfile }
export type Stale = Pick<Found, 'raw' | 'version'> & {
  pending: PendingCheckin[]
  fresh?: undefined
  /** A profile that was overtaken. */
  stale: BasedProfile | null
  /** Whether tracking's buffer has any point of them: that makes them known before the first flush. */
  isBuffered: boolean
  /** Number of erasures in the shard. */
  erasures: string
}
export type CachedState = Fresh | Stale

export type StatisticsCache = ReturnType<typeof createStatisticsCache>

const pendingOf = ({ pending }: Pick<Found, 'pending'>): PendingCheckin[] => readPending(elementsOf(pending))

/**
 * Caches finished profiles under `{sNN}:stats:<userId>`. An entry is valid while the shard's `flushed` key and the last pending
 * check-in are unchanged. Without Redis every read is null and the database is used.
 */
export function createStatisticsCache({
  redis,
  log,
  levelKm,
  redisDeadlineMs: deadlineMs = CACHE_DEADLINE_MS,
}: {
  redis: Redis
  log: Log
  levelKm: LevelKm
  redisDeadlineMs?: number | undefined
}) {
  const format = entryFormat(levelKm)
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

  const drops = cacheDrops({ redis, deadlineMs, orNull })
  const { isMissed: isDropMissed, drop, retryDrops } = drops
  const buffers = bufferLoader(redis, deadlineMs)
  const writer = entryWriter(redis, deadlineMs)

  /** As last read. */
  const lastPending = new Map<string, string>()
  const remember = (userId: string, pending: string): void => {
    lastPending.delete(userId)
    if (pending === '') return
    lastPending.set(userId, pending)
    const [oldest] = lastPending.keys()
    if (oldest !== undefined && lastPending.size > REMEMBERED_MAX) lastPending.delete(oldest)
  }

  const foundOf = (userId: string, { raw, flushed, pending }: EntryState): Found => {
    remember(userId, pending)
    const version = `${flushed} ${pending.slice(pending.lastIndexOf(' ') + 1)}`
    const response = isDropMissed(userId) ? undefined : format.responseOf(raw, version)
    return { raw, version, pending, response }
  }

  /** Looks for many in one round trip; null for each of them when Redis is away. */
  const look = async (userIds: readonly string[]): Promise<(Found | null)[]> => {
    const states = await orNull(readEntries(redis, userIds, deadlineMs))
    return userIds.map((userId, at) => {
      const state = states?.[at]
      return state ? foundOf(userId, state) : null
    })
  }
  const looks = new BatchLoader({ loadAll: look, sizeMax: READS_MAX })

  /** What else those need who have no fresh entry. Null when Redis is away. */
  const complete = async (userId: string, found: Found): Promise<Stale | null> => {
    const buffered = await orNull(buffers.load(userId))
    if (!buffered) return null
    const { isWaiting, erasures } = buffered
    const { raw, version, pending } = found
    return {
      raw,
      version,
      erasures,
      pending: pendingOf(found),
      isBuffered: pending !== '' || isWaiting,
      stale: isDropMissed(userId) ? null : format.parse(raw),
    }
  }

  /** One round trip for all reads of an event-loop tick, and another for those without a fresh entry. Null when Redis is away. */
  const read = async (userId: string): Promise<CachedState | null> => {
    const found = await looks.load(userId)
    if (!found) return null
    const fresh = found.response === undefined ? null : format.parse(found.raw)
    return fresh ? { fresh, pending: pendingOf(found) } : complete(userId, found)
  }

  /** Stores a profile unless the entry was written or dropped since `read`. One round trip for all of a tick. */
  const write = async (userId: string, state: Stale, profile: BasedProfile): Promise<void> => {
    const { raw, version, erasures } = state
    await orNull(writer.load({ userId, raw, erasures, entry: format.write(version, profile) }))
  }

  return {
    look,
    complete,
    read,
    write,
    drop,
    retryDrops,
    /** @throws StoreUnavailable */
    erase: (userId: string): Promise<void> => {
      lastPending.delete(userId)
      return drops.erase(userId)
    },
    /** A participant's pending check-ins as this process last read them: what is known of them while Redis is away. */
    lastPending: (userId: string): PendingCheckin[] => pendingOf({ pending: lastPending.get(userId) ?? '' }),
  }
}
