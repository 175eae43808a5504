import { defineScript, runScript } from '@palanquin/service/redis-script'
import QuickLRU from 'quick-lru'
import type { Subject, Verdict } from './limiter.ts'
import { keyOf } from './limiter.ts'
import type { RedisWindows } from './redis-windows.ts'

/** Addresses kept in this process, at least the latest 20,000 and at most twice as many. */
const KEYS_SIZE = 20_000

/**
 * KEYS[1]: the bytes of a window that began with its first ones. ARGV: bytes, limit, window in ms. Adds them if they
 * fit and returns `allowed used ms-until-it-ends`; a negative number gives back, to a window that still exists.
 */
const SPEND = defineScript(`
local key, bytes, limit = KEYS[1], tonumber(ARGV[1]), tonumber(ARGV[2])
local used = tonumber(redis.call('GET', key) or '0')
if bytes < 0 then
  if used > 0 then redis.call('INCRBY', key, math.max(bytes, -used)) end
  return ''
end
local leftMs = math.max(0, redis.call('PTTL', key))
if used + bytes > limit then return '0 ' .. used .. ' ' .. leftMs end
redis.call('INCRBY', key, ARGV[1])
if leftMs > 0 then return '1 ' .. used + bytes .. ' ' .. leftMs end
redis.call('PEXPIRE', key, ARGV[3])
return '1 ' .. used + bytes .. ' ' .. ARGV[3]
`)

type Window = { used: number; endsAtMs: number }

/**
 * Bytes in windows that begin with their first ones (the day of an address begins when it first writes): to slide, a
 * window of a day would have to keep each write. Shared by all gateways; without Redis each counts alone.
 */
export class ByteWindows {
  readonly #shared: Pick<RedisWindows, 'attempt'>
  readonly #local = new QuickLRU<string, Window>({ maxSize: KEYS_SIZE })
  readonly #seed: bigint
  readonly #nowMs: () => number

  constructor({
    shared,
    secret = '',
    nowMs = () => performance.now(),
  }: { shared: Pick<RedisWindows, 'attempt'>; secret?: string; nowMs?: () => number }) {
    this.#shared = shared
    this.#seed = Bun.hash.wyhash(secret)
    this.#nowMs = nowMs
  }

  /** Takes so many bytes; they count unless they are given back. */
  async take({ name, rule, id }: Subject, bytes: number): Promise<Verdict> {
    const { limit, windowMs } = rule
    const key = keyOf(name, id, this.#seed)
    const run = (amount: number) =>
      this.#shared.attempt((redis) =>
        runScript(redis, SPEND, { keys: [key], args: [amount, limit, windowMs].map(String) }),
      )
    const said = await run(bytes)
    const [allowed, used, leftMs] =
      said === undefined
        ? this.#takeLocally(key, { bytes, limit, windowMs })
        : String(said).split(' ').map(Number)
    const giveBack = async (): Promise<void> => {
      if (said === undefined) this.#giveBackLocally(key, bytes)
      else await run(-bytes)
    }
    return {
      allowed: allowed === 1,
      limit,
      remaining: Math.max(0, limit - (used ?? 0)),
      resetS: Math.max(1, Math.ceil((leftMs ?? 0) / 1_000)),
      giveBack,
      settle: (outcome) => {
        if (outcome === 'rejected') void giveBack()
      },
    }
  }

  #takeLocally(key: string, { bytes, limit, windowMs }: { bytes: number; limit: number; windowMs: number }) {
    const nowMs = this.#nowMs()
    const known = this.#local.get(key)
    const window = known && known.endsAtMs > nowMs ? known : { used: 0, endsAtMs: nowMs + windowMs }
    const leftMs = window.endsAtMs - nowMs
    if (window.used + bytes > limit) return [0, window.used, leftMs]
    window.used += bytes
    this.#local.set(key, window)
    return [1, window.used, leftMs]
  }

  #giveBackLocally(key: string, bytes: number): void {
    const window = this.#local.get(key)
    if (window) window.used = Math.max(0, window.used - bytes)
  }
}
