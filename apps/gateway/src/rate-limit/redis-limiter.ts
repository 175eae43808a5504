import { type Counting, type CountingParts, isInRedis } from './gateways/counting.ts'
import type { KeyHasher } from './memory/key-hash.ts'
import type { LocalWindows } from './memory/local-windows.ts'
import type { RedisWindows } from './redis/redis-windows.ts'
import { FEW } from './redis/window-script.ts'
import type { Rule } from './rules.ts'
import { type Subject, type Verdict, verdictOf } from './verdict.ts'

/**
 * Counts in Redis, together with the other gateways. The local windows are asked first: what this process alone has admitted is
 * enough to refuse.
 */
export class RedisLimiter {
  readonly #local: LocalWindows
  readonly #shared: Pick<RedisWindows, 'count' | 'giveBack'>
  readonly #counting: Counting
  readonly #hasher: KeyHasher
  readonly #seed: bigint
  readonly #nowMs: () => number

  constructor({
    local,
    shared,
    counting,
    hasher,
    secret,
    nowMs,
  }: CountingParts & { shared: Pick<RedisWindows, 'count' | 'giveBack'>; secret: string }) {
    this.#local = local
    this.#shared = shared
    this.#counting = counting
    this.#hasher = hasher
    this.#seed = Bun.hash.wyhash(secret)
    this.#nowMs = nowMs
  }

  /** Counts a call, or with `take: false` looks. Without an answer of Redis it counts this process's share of the limit. */
  async count({ name, rule, id }: Subject, take: boolean): Promise<Verdict> {
    const { limit, windowMs } = rule
    const nowMs = this.#nowMs()
    const local = this.#local.count(this.#hasher.hash(name, id), { limit, windowMs, take, nowMs })
    const { table, entry, spent } = local
    if (!local.allowed) return verdictOf(rule, local)
    const key = this.#keyOf(name, rule, id)
    const shared = this.#isComplete(rule)
      ? await this.#shared.count(key, { limit, spent, windowMs, take })
      : undefined
    // Still, as another gateway may have counted alone while this process stood still.
    if (!shared || !this.#isComplete(rule)) {
      // `used` includes a call that is counted, and not one that only looks.
      if (local.used + (take ? 0 : 1) <= this.#counting.share(limit))
        return { ...verdictOf(rule, local, async () => table.giveBack(entry)), isOwn: true }
      table.giveBack(entry)
      return { ...verdictOf(rule, { ...local, allowed: false }), isOwn: true }
    }
    // What came while Redis was away is known here alone.
    const used = Math.max(shared.used + spent, local.used)
    const freeInMs = spent > 0 ? Math.min(local.freeInMs, shared.freeInMs) : shared.freeInMs
    const counted = { allowed: shared.allowed, used, freeInMs }
    if (!shared.allowed) {
      table.giveBack(entry)
      return verdictOf(rule, counted)
    }
    table.restamp(entry, this.#nowMs())
    return verdictOf(rule, counted, async () => {
      table.giveBack(entry)
      if (take) await this.#shared.giveBack(key, { limit, stamp: shared.stamp })
    })
  }

  /** Counts so many calls that were let through before; what the window says behind them. For windows of more than a minute. */
  async countLater({ name, rule, id }: Subject, calls: number): Promise<Verdict> {
    const { limit, windowMs } = rule
    const hash = this.#hasher.hash(name, id)
    const nowMs = this.#nowMs()
    let local = this.#local.count(hash, { limit, windowMs, take: true, nowMs })
    for (let call = 1; call < calls; call++)
      local = this.#local.count(hash, { limit, windowMs, take: true, nowMs })
    const shared = await this.#shared.count(this.#keyOf(name, rule, id), {
      limit,
      windowMs,
      take: true,
      calls,
    })
    if (!shared) return { ...verdictOf(rule, local), isOwn: true }
    return verdictOf(rule, { ...shared, used: Math.max(shared.used, local.used) })
  }

  #isComplete(rule: Rule): boolean {
    return isInRedis(this.#counting, rule, this.#nowMs())
  }

  /** Small limits are kept in another form. */
  #keyOf(name: string, { limit }: Rule, id: string): string {
    return keyOf(limit <= FEW ? `few:${name}` : name, id, this.#seed)
  }
}

/**
 * The braces keep a key in one slot of a Redis Cluster; the hash (64 bits, wyhash) bounds it and keeps ids and addresses
 * out of Redis. The secret in its seed keeps attackers from finding two ids of one key.
 */
export const keyOf = (name: string, id: string, seed: bigint): string =>
  `rl:{${name}:${Bun.hash.wyhash(id, seed).toString(36)}}`
