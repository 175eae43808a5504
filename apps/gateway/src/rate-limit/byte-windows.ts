import QuickLRU from 'quick-lru'
import type { RedisWindows } from './redis/redis-windows.ts'
import { type Spent, sharedSpends } from './redis/spend-script.ts'
import { keyOf } from './redis-limiter.ts'
import type { Subject, Verdict } from './verdict.ts'

/** Addresses kept in this process, at least the latest 20,000 and at most twice as many. */
const KEYS_SIZE = 20_000

type Window = { used: number; endsAtMs: number }

/**
 * Bytes in windows that begin with their first ones (the day of an address begins when it first writes): to slide, a
 * window of a day would have to keep each write. Shared by all gateways; without Redis each counts alone.
 */
export class ByteWindows {
  readonly #shared: ReturnType<typeof sharedSpends>
  readonly #local = new QuickLRU<string, Window>({ maxSize: KEYS_SIZE })
  readonly #seed: bigint
  readonly #nowMs: () => number

  constructor({
    shared,
    secret = '',
    nowMs = () => performance.now(),
  }: { shared: Pick<RedisWindows, 'attempt'>; secret?: string; nowMs?: () => number }) {
    this.#shared = sharedSpends(shared)
    this.#seed = Bun.hash.wyhash(secret)
    this.#nowMs = nowMs
  }

  /** Takes so many bytes; they count unless they are given back. */
  async take({ name, rule, id }: Subject, bytes: number): Promise<Verdict> {
    const { limit, windowMs } = rule
    const key = keyOf(name, id, this.#seed)
    const said = await this.#shared.load({ key, amount: bytes, limit, windowMs })
    const { allowed, used, leftMs } = said ?? this.#takeLocally(key, { bytes, limit, windowMs })
    const giveBack = async (): Promise<void> => {
      if (said === undefined) this.#giveBackLocally(key, bytes)
      else await this.#shared.load({ key, amount: -bytes, limit, windowMs })
    }
    return {
      allowed,
      limit,
      remaining: Math.max(0, limit - used),
      resetS: Math.max(1, Math.ceil(leftMs / 1_000)),
      giveBack,
      settle: (outcome) => {
        if (outcome === 'rejected') void giveBack()
      },
    }
  }

  #takeLocally(
    key: string,
    { bytes, limit, windowMs }: { bytes: number; limit: number; windowMs: number },
  ): Spent {
    const nowMs = this.#nowMs()
    const known = this.#local.get(key)
    const window = known && known.endsAtMs > nowMs ? known : { used: 0, endsAtMs: nowMs + windowMs }
    const leftMs = window.endsAtMs - nowMs
    if (window.used + bytes > limit) return { allowed: false, used: window.used, leftMs }
    window.used += bytes
    this.#local.set(key, window)
    return { allowed: true, used: window.used, leftMs }
  }

  #giveBackLocally(key: string, bytes: number): void {
    const window = this.#local.get(key)
    if (window) window.used = Math.max(0, window.used - bytes)
  }
}
