import type { LocalWindows } from './local-windows.ts'
import type { CallOutcome } from './outcome.ts'
import type { RedisWindows } from './redis-windows.ts'
import type { Rule } from './rules.ts'

/** What a rule says of a call, as the RateLimit headers tell it. */
export type Verdict = {
  readonly allowed: boolean
  readonly limit: number
  readonly remaining: number
  /** Whole seconds until the oldest counted call leaves the window: after that one more is let through. */
  readonly resetS: number
  /** Uncounts the call, for when something after this rule refuses it. */
  readonly giveBack: () => Promise<void>
  /** Of a rule that counts what was taken: to be told once it is known. */
  readonly settle?: (outcome: CallOutcome) => void
}

/** What is counted: a rule by its name, and whose calls. */
export type Subject = { name: string; rule: Rule; id: string }

/**
 * Exact over all gateway processes while Redis answers. While it does not, each lets its share of a limit through, so that
 * all of them together keep it. The own windows are asked first: what this process alone has let through is enough
 * to refuse.
 */
export class Limiter {
  readonly #own: LocalWindows
  readonly #shared: Pick<RedisWindows, 'count' | 'giveBack'>
  readonly #nowMs: () => number
  readonly #seed: bigint
  readonly #shareOf: (limit: number) => number
  readonly #refused = new Map<string, number>()

  constructor({
    own,
    shared,
    secret = '',
    shareOf = (limit) => limit,
    nowMs = () => performance.now(),
  }: {
    own: LocalWindows
    shared: Pick<RedisWindows, 'count' | 'giveBack'>
    /** The same in all processes that count together. */
    secret?: string
    /** What this process may let through of a limit while it counts alone. */
    shareOf?: (limit: number) => number
    nowMs?: () => number
  }) {
    this.#own = own
    this.#shared = shared
    this.#nowMs = nowMs
    this.#seed = Bun.hash.wyhash(secret)
    this.#shareOf = shareOf
  }

  /** Counts a call, or refuses it without a trace. */
  take(subject: Subject): Promise<Verdict> {
    return this.#judge(subject, true)
  }

  /** Whether a call would be let through now. */
  look(subject: Subject): Promise<Verdict> {
    return this.#judge(subject, false)
  }

  /** How many calls each rule has refused since the start, by its name without the route. */
  get refused(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#refused)
  }

  async #judge(subject: Subject, take: boolean): Promise<Verdict> {
    const verdict = await this.#count(subject, take)
    if (!verdict.allowed) {
      const [rule = ''] = subject.name.split(':')
      this.#refused.set(rule, (this.#refused.get(rule) ?? 0) + 1)
    }
    return verdict
  }

  async #count({ name, rule, id }: Subject, take: boolean): Promise<Verdict> {
    const { limit, windowMs } = rule
    const key = keyOf(name, id, this.#seed)
    // Before Redis is asked, so that an own entry never outlives its twin there.
    const nowMs = this.#nowMs()
    const own = this.#own.count(key, { limit, windowMs, take, nowMs })
    if (!own.allowed) return verdict(rule, own)
    const shared = await this.#shared.count(key, { limit, windowMs, take })
    const giveBackOwn = () => {
      if (take) this.#own.giveBack(key, nowMs)
    }
    if (!shared) {
      // A call that is counted is among the used ones, one that only looks is not.
      if (own.used + (take ? 0 : 1) <= this.#shareOf(limit))
        return verdict(rule, own, async () => giveBackOwn())
      giveBackOwn()
      return verdict(rule, { ...own, allowed: false, used: limit })
    }
    if (!shared.allowed) {
      giveBackOwn()
      return verdict(rule, shared)
    }
    return verdict(rule, shared, async () => {
      giveBackOwn()
      if (take) await this.#shared.giveBack(key, shared.stamp)
    })
  }
}

const nothing = async () => {}

const verdict = (
  { limit }: Rule,
  { allowed, used, freeInMs }: { allowed: boolean; used: number; freeInMs: number },
  giveBack = nothing,
): Verdict => ({
  allowed,
  limit,
  remaining: Math.max(0, limit - used),
  resetS: Math.max(1, Math.ceil(freeInMs / 1_000)),
  giveBack,
})

/**
 * The braces keep a key in one slot of a Redis Cluster; the hash (64 bits, wyhash) bounds it and keeps ids and addresses
 * out of Redis. A secret in the seed makes keys that nobody can compute, so nobody can look for two ids of one key.
 */
export const keyOf = (name: string, id: string, seed: bigint): string =>
  `rl:{${name}:${Bun.hash.wyhash(id, seed).toString(36)}}`
