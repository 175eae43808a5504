import { randomUUID } from 'node:crypto'
import type { Redis } from '@palanquin/service/redis'
import { defineScript, runScript } from '@palanquin/service/redis-script'
import { callRedis } from '../buffer/call-redis.ts'

const FLUSH_KEY = 'flush:lock'
const PACK_KEY = 'flush:pack-lock'
/** Specification 4.5. */
const LOCK_MS = 90_000
/** How often a long holder renews it. */
export const LOCK_EXTEND_MS = LOCK_MS / 3

/** How long a flush on demand waits for another process's lock before it runs beside it, which does no harm. */
const LOCK_WAIT_MS = 5_000
const LOCK_POLL_MS = 100

export type FlushLock = {
  /** Keeps it for as long again, unless it has expired. @throws StoreUnavailable */
  extend: () => Promise<void>
  /** @throws StoreUnavailable */
  release: () => Promise<void>
}

/**
 * Takes the lock when it is free, or when this instance still has it: it was killed in a flush, or could not release it.
 * An instance runs one flush at a time, so such a lock guards nothing any more.
 */
const TAKE = defineScript(`
local owner = redis.call('GET', KEYS[1])
if owner and string.sub(owner, 1, #ARGV[1]) ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
return 1
`)

const EXTEND = defineScript(
  `if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('PEXPIRE', KEYS[1], ARGV[2]) end return 0`,
)

/** Releases only this flush's own lock: it may have expired and be another's by now. */
const RELEASE = defineScript(
  `if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0`,
)

/**
 * Takes the lock of the flush for an instance (a tracking process and its successors after a restart). It only
 * saves two instances the same work: correctness rests on the compare and swap and the points' key. Undefined when
 * another instance has it. @throws StoreUnavailable
 */
export const takeFlushLock = (redis: Redis, instance: string): Promise<FlushLock | undefined> =>
  takeLock(redis, FLUSH_KEY, instance)

/** Takes it as soon as it is free; undefined when another instance still has it after five seconds. @throws StoreUnavailable */
export async function waitForFlushLock(redis: Redis, instance: string): Promise<FlushLock | undefined> {
  const deadline = performance.now() + LOCK_WAIT_MS
  for (;;) {
    const lock = await takeFlushLock(redis, instance)
    if (lock || performance.now() > deadline) return lock
    await Bun.sleep(LOCK_POLL_MS)
  }
}

/** The lock of the packer; taking it again keeps it for as long again. @throws StoreUnavailable */
export const takePackLock = (redis: Redis, instance: string): Promise<FlushLock | undefined> =>
  takeLock(redis, PACK_KEY, instance)

/** Whether a flush runs somewhere. @throws StoreUnavailable */
export const isFlushing = async (redis: Redis): Promise<boolean> =>
  (await callRedis(redis.exists(FLUSH_KEY))) === 1

async function takeLock(redis: Redis, key: string, instance: string): Promise<FlushLock | undefined> {
  const token = `${instance}:${randomUUID()}`
  const taken = await callRedis(
    runScript(redis, TAKE, { keys: [key], args: [`${instance}:`, token, String(LOCK_MS)] }),
  )
  if (taken !== 1) return undefined
  return {
    extend: async () => {
      await callRedis(runScript(redis, EXTEND, { keys: [key], args: [token, String(LOCK_MS)] }))
    },
    release: async () => {
      await callRedis(runScript(redis, RELEASE, { keys: [key], args: [token] }))
    },
  }
}
