import type { LocalWindows } from './local-windows.ts'
import type { CallOutcome } from './outcome.ts'
import type { RedisWindows } from './redis-windows.ts'
import type { Rule } from './rules.ts'
import { FEW } from './window-script.ts'

/** What a rule says of a call, as in the RateLimit headers. */
export type Verdict = {
  readonly allowed: boolean
  readonly limit: number
  readonly remaining: number
  /** Whole seconds until the oldest counted call leaves the window and one more is allowed. */
  readonly resetS: number
  /** Uncounts the call, for when something after this rule refuses it. */
  readonly giveBack: () => Promise<void>
  /** Of a rule that counts accepted calls only: called once the outcome is known. */
  readonly settle?: (outcome: CallOutcome) => void
}

/** What is counted: a rule by its name, and the id whose calls it counts. */
export type Subject = { name: string; rule: Rule; id: string }

/**
 * Exact over all gateway processes while Redis answers. While it does not, each admits its share of a limit, so that all of
 * them together keep it. The local windows are asked first: what this process alone has admitted is enough to refuse.
 */
export class Limiter {
  readonly #local: LocalWindows
  readonly #shared: Pick<RedisWindows, 'count' | 'giveBack'>
  readonly #nowMs: () => number
  readonly #seed: bigint
  readonly #shareOf: (limit: number) => number
  readonly #refused = new Map<string, number>()

  constructor({
    local,
    shared,
    secret = '',
    shareOf = (limit) => limit,
    nowMs = () => performance.now(),
  }: {
    local: LocalWindows
    shared: Pick<RedisWindows, 'count' | 'giveBack'>
    /** The same in all processes that count together. */
    secret?: string
    /** What this process may admit of a limit while it counts alone. */
    shareOf?: (limit: number) => number
    nowMs?: () => number
  }) {
    this.#local = local
    this.#shared = shared
    this.#nowMs = nowMs
    this.#seed = Bun.hash.wyhash(secret)
    this.#shareOf = shareOf
  }

  /** Counts a call, or refuses it without a trace. */
  take(subject: Subject): Promise<Verdict> {
    return this.#judge(subject, true)
  }

  /** Whether a call would be admitted now. */
  look(subject: Subject): Promise<Verdict> {
    return this.#judge(subject, false)
  }

  /** Takes a place for calls to come: none of them is refused where there is no such place. */
  takeAhead(subject: Subject): Promise<Verdict> {
    return this.#count(subject, true)
  }

  /** A call was refused by a rule. */
  noteRefused(name: string): void {
    const [rule = ''] = name.split(':')
    this.#refused.set(rule, (this.#refused.get(rule) ?? 0) + 1)
  }

  /** Calls that each rule has refused since the start, by its name without the route. */
  get refused(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#refused)
  }

  async #judge(subject: Subject, take: boolean): Promise<Verdict> {
    const verdict = await this.#count(subject, take)
    if (!verdict.allowed) this.noteRefused(subject.name)
    return verdict
  }

  async #count({ name, rule, id }: Subject, take: boolean): Promise<Verdict> {
    const { limit, windowMs } = rule
    const key = keyOf(limit <= FEW ? `few:${name}` : name, id, this.#seed)
    // Before Redis is asked, so that a local entry never outlives its counterpart there.
    const nowMs = this.#nowMs()
    const local = this.#local.count(key, { limit, windowMs, take, nowMs })
    if (!local.allowed) return verdict(rule, local)
    const shared = await this.#shared.count(key, { limit, windowMs, take })
    const giveBackLocally = () => {
      if (take) this.#local.giveBack(key, nowMs)
    }
    if (!shared) {
      // `used` includes a call that is counted, and not one that only looks.
      if (local.used + (take ? 0 : 1) <= this.#shareOf(limit))
        return verdict(rule, local, async () => giveBackLocally())
      giveBackLocally()
      return verdict(rule, { ...local, allowed: false, used: limit })
    }
    if (!shared.allowed) {
      giveBackLocally()
      return verdict(rule, shared)
    }
    return verdict(rule, shared, async () => {
      giveBackLocally()
      if (take) await this.#shared.giveBack(key, { limit, stamp: shared.stamp })
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
 * out of Redis. The secret in its seed keeps attackers from finding two ids of one key.
 */
export const keyOf = (name: string, id: string, seed: bigint): string =>
  `rl:{${name}:${Bun.hash.wyhash(id, seed).toString(36)}}`
