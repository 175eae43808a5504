import { SHARD_COUNT } from '@palanquin/domain/ids'
import type { Redis } from '@palanquin/service/redis'
import { callRedis } from '../buffer/call-redis.ts'
import { closedKey } from '../buffer/keys.ts'

/** Flags are set again now and then while they should be there: Redis may have come back without them. */
const REPAIR_MS = 2_000

/** The flag of each shard in Redis by which the script of a sync sees that the activity takes no positions. */
export function closedFlags(redis: Redis) {
  let state: 'set' | 'cleared' | 'unknown' = 'unknown'
  let setAt = 0
  return {
    /** Sets the flags to a status, or clears them (null). @throws StoreUnavailable */
    keep: async (status: string | null): Promise<void> => {
      const wanted = status === null ? 'cleared' : 'set'
      const isStale = wanted === 'set' && performance.now() - setAt > REPAIR_MS
      if (state === wanted && !isStale) return
      state = 'unknown'
      await write(redis, status)
      state = wanted
      setAt = performance.now()
    },
    /** A flag contradicts what this process knows: all are written again. */
    invalidate: (): void => {
      state = 'unknown'
    },
  }
}

async function write(redis: Redis, status: string | null): Promise<void> {
  const keys = Array.from({ length: SHARD_COUNT }, (_, shard) => closedKey(shard))
  // One call a shard: on a cluster they live on several nodes.
  const calls: Promise<unknown>[] = keys.map((key) =>
    status === null ? redis.del(key) : redis.set(key, status),
  )
  await callRedis(Promise.all(calls))
}
