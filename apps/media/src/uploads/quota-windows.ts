import { withDeadline } from '@palanquin/service/deadline'
import type { Log } from '@palanquin/service/log'
import type { Redis } from '@palanquin/service/redis'
import QuickLRU from 'quick-lru'

/** What an address has used of one window. */
type Usage = { amount: number; endsAtMs: number }

/** At least so many addresses are kept, and at most twice as many. */
const KEYS_MAX = 20_000

/** Fixed windows in this process, for while Redis is away. Times are of a monotonic clock. */
class LocalQuota {
  readonly #usage = new QuickLRU<string, Usage>({ maxSize: KEYS_MAX })

  /** Milliseconds until a key is below its limit again; 0 when it is now. */
  exhaustedForMs(key: string, max: number, nowMs: number): number {
    const usage = this.#usage.get(key)
    return usage && usage.endsAtMs > nowMs && usage.amount >= max ? usage.endsAtMs - nowMs : 0
  }

  /** Adds to a window (a negative amount is a refund), which begins with its first addition. */
  add(key: string, { amount, windowMs, nowMs }: { amount: number; windowMs: number; nowMs: number }): void {
    const usage = this.#usage.get(key)
    if (usage && usage.endsAtMs > nowMs) {
      usage.amount = Math.max(0, usage.amount + amount)
      return
    }
    this.#usage.delete(key)
    if (amount <= 0) return
    this.#usage.set(key, { amount, endsAtMs: nowMs + windowMs })
  }
}

const REDIS_DEADLINE_MS = 250

/** KEYS: uploads, bytes, decoding. ARGV: their limits, the hour. Counts an upload: 0, or the wait in ms. */
const TAKE = `
for i = 1, 3 do
  if tonumber(redis.call('GET', KEYS[i]) or 0) >= tonumber(ARGV[i]) then
    return math.max(1, redis.call('PTTL', KEYS[i]))
  end
end
if redis.call('INCR', KEYS[1]) == 1 then redis.call('PEXPIRE', KEYS[1], ARGV[4]) end
return 0`

/** KEYS[1] grows by ARGV[1]; a refund to an ended window does nothing. */
const ADD = `
local there = redis.call('EXISTS', KEYS[1])
if there == 0 and tonumber(ARGV[1]) <= 0 then return end
redis.call('INCRBY', KEYS[1], ARGV[1])
if there == 0 then redis.call('PEXPIRE', KEYS[1], ARGV[2]) end`

/** What may be used of something under a key within a window. */
export type Window = { key: string; max: number; windowMs: number }

/** Fixed windows in Redis; without it in this process. All keys of a call have the same hash tag. */
export function quotaWindows({
  redis,
  log,
  deadlineMs = REDIS_DEADLINE_MS,
}: {
  redis: Redis
  log: Log
  deadlineMs?: number | undefined
}) {
  const local = new LocalQuota()
  const run = async (script: string, keys: string[], args: number[]): Promise<unknown> => {
    try {
      return await withDeadline(redis.eval(script, { keys, arguments: args.map(String) }), {
        what: 'Redis',
        deadlineMs,
      })
    } catch (error) {
      log.debug(
        { event: 'upload_quota.degraded', reason: String(error) },
        'Uploads are counted in this process',
      )
      return undefined
    }
  }
  const takeLocally = (windows: readonly [Window, Window, Window]): number => {
    const nowMs = performance.now()
    const [{ key, windowMs }] = windows
    const waits = windows.map(({ key, max }) => local.exhaustedForMs(key, max, nowMs))
    const waitMs = waits.find((wait) => wait > 0) ?? 0
    if (waitMs === 0) local.add(key, { amount: 1, windowMs, nowMs })
    return waitMs
  }

  return {
    /** Adds 1 to the first window and returns 0, or the milliseconds until all three allow one more. */
    take: async (windows: readonly [Window, Window, Window]): Promise<number> => {
      const keys = windows.map(({ key }) => key)
      const reply = await run(TAKE, keys, [...windows.map(({ max }) => max), windows[0].windowMs])
      return typeof reply === 'number' ? reply : takeLocally(windows)
    },
    /** A negative amount is a refund. */
    add: async ({ key, windowMs }: Window, amount: number): Promise<void> => {
      if ((await run(ADD, [key], [amount, windowMs])) === undefined)
        local.add(key, { amount, windowMs, nowMs: performance.now() })
    },
  }
}
