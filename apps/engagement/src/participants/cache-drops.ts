import { randomUUID } from 'node:crypto'
import { withDeadline } from '@palanquin/service/deadline'
import { StoreUnavailable } from '@palanquin/service/http/api-error'
import type { Redis } from '@palanquin/service/redis'
import { runScript } from '@palanquin/service/redis-script'
import { keysOf } from './cache-keys.ts'
import { ERASE_ENTRY } from './cache-scripts.ts'

/** Outlives every reader that read the database before a write (their deadline is 3 s). */
const DROPPED_TTL_MS = 10_000
/** An erasure waits for a busy Redis. */
const REDIS_DURING_ERASURE = { what: 'Redis', deadlineMs: 5_000 }
/** Beyond it, entries simply expire. */
const DROPS_TO_RETRY_MAX = 10_000

/** Takes entries away, and remembers which could not be while Redis was. `orNull` gives null for work that failed. */
export function cacheDrops({
  redis,
  deadlineMs,
  orNull,
}: {
  redis: Redis
  deadlineMs: number
  orNull: <T>(work: Promise<T>) => Promise<T | null>
}) {
  const missed = new Set<string>()

  /** Removes the entry; a reader who read the row before its erasure cannot write it back. @throws StoreUnavailable */
  const erase = async (userId: string): Promise<void> => {
    const keys = keysOf(userId)
    missed.delete(userId)
    try {
      const erased = runScript(redis, ERASE_ENTRY, { keys: [keys.statistics, keys.erasures], args: [] })
      await withDeadline(erased, REDIS_DURING_ERASURE)
    } catch (error) {
      throw new StoreUnavailable('cache', error)
    }
  }

  /** Replaces the entry by a tombstone, so that a reader who read before the write cannot write the old profile. */
  const drop = async (userId: string): Promise<void> => {
    const expiration = { type: 'PX', value: DROPPED_TTL_MS } as const
    const written = redis.set(keysOf(userId).statistics, `dropped ${randomUUID()}`, { expiration })
    const dropped = await orNull(withDeadline(written, { what: 'Redis', deadlineMs }))
    if (dropped) missed.delete(userId)
    else if (missed.size < DROPS_TO_RETRY_MAX) missed.add(userId)
  }

  /** Repeats drops that failed while Redis was away. */
  const retryDrops = async (): Promise<void> => {
    if (redis.isReady) for (const userId of missed) await drop(userId)
  }

  /** Whether an entry should not be there any more. */
  const isMissed = (userId: string): boolean => missed.has(userId)

  return { erase, drop, retryDrops, isMissed }
}
