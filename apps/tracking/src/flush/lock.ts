import { randomUUID } from 'node:crypto'
import type { Redis } from '@palanquin/service/redis'
import { reachRedis } from '../buffer/reach.ts'
import { defineScript, runScript } from '../buffer/script.ts'

const LOCK_KEY = 'flush:lock'
/** Specification 4.5. */
const LOCK_MS = 90_000

export type FlushLock = { release: () => Promise<void> }

/** Lets go only of one's own lock: it may have expired, and be another's by now. */
const RELEASE = defineScript(
  `if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0`,
)

/**
 * Takes the lock of the flush. It spares two processes the same work and nothing more: correctness rests on the
 * compare and swap and the points' key. Undefined when another process holds it. @throws StoreUnavailable
 */
export async function takeFlushLock(redis: Redis): Promise<FlushLock | undefined> {
  const token = randomUUID()
  const taken = await reachRedis(
    redis.set(LOCK_KEY, token, { condition: 'NX', expiration: { type: 'PX', value: LOCK_MS } }),
  )
  if (taken !== 'OK') return undefined
  return {
    release: async () => {
      await reachRedis(runScript(redis, RELEASE, { keys: [LOCK_KEY], args: [token] }))
    },
  }
}
