import { randomUUID } from 'node:crypto'
import type { Redis } from '@palanquin/service/redis'
import { defineScript, runScript } from '@palanquin/service/redis-script'
import { callRedis } from '../buffer/call-redis.ts'

const LOCK_KEY = 'flush:lock'
/** Specification 4.5. */
const LOCK_MS = 90_000

export type FlushLock = { release: () => Promise<void> }

/**
 * Takes the lock when it is free, or when this instance holds it from before: it was killed in a flush, or Redis stood
 * still when it wanted to let go. An instance flushes once at a time, so such a lock guards nothing any more.
 */
const TAKE = defineScript(`
local held = redis.call('GET', KEYS[1])
if held and string.sub(held, 1, #ARGV[1]) ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
return 1
`)

/** Lets go only of one's own lock: it may have expired, and be another's by now. */
const RELEASE = defineScript(
  `if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0`,
)

/**
 * Takes the lock of the flush for an instance (a tracking process and its successors after a restart). It spares two
 * instances the same work and nothing more: correctness rests on the compare and swap and the points' key. Undefined
 * when another instance holds it. @throws StoreUnavailable
 */
export async function takeFlushLock(redis: Redis, instance: string): Promise<FlushLock | undefined> {
  const token = `${instance}:${randomUUID()}`
  const taken = await callRedis(
    runScript(redis, TAKE, { keys: [LOCK_KEY], args: [`${instance}:`, token, String(LOCK_MS)] }),
  )
  if (taken !== 1) return undefined
  return {
    release: async () => {
      await callRedis(runScript(redis, RELEASE, { keys: [LOCK_KEY], args: [token] }))
    },
  }
}
