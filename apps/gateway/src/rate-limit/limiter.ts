import type { KeyHash } from './key-hash.ts'
import { KeyHasher } from './key-hash.ts'
import { type LocalWindows, SHORT_MS } from './local-windows.ts'
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
  /**
   * Of a rule that counts accepted calls only: called once the outcome is known. `isNew`: whether the service did not know the
   * participant.
   */
  readonly settle?: (outcome: CallOutcome, isNew?: boolean) => void
}

/** `kept`: the call may be passed on at once, but is to be answered only when this has resolved. It never rejects. */
export type VerdictNow = Verdict & { readonly kept: Promise<void> | undefined }

/** What is counted: a rule by its name, and the id whose calls it counts. */
export type Subject = { name: string; rule: Rule; id: string }

/** How this gateway counts the short windows (`GatewayRegistry`). */
export type Counting = {
  isAlone: (nowMs: number) => boolean
  isTogether: (nowMs: number) => boolean
  settled: () => Promise<void>
  admitted: (key: KeyHash, atMs: number) => Promise<void> | undefined
  takenBack: (key: KeyHash, atMs: number) => void
  yield: () => void
  /** What this process may admit of a limit while Redis is away. */
  share: (limit: number) => number
}

/** Everything in Redis. */
export const TOGETHER: Counting = {
  isAlone: () => false,
  isTogether: () => true,
  settled: async () => {},
  admitted: () => undefined,
  takenBack: () => {},
  yield: () => {},
  share: (limit) => limit,
}

/**
 * Exact over all gateway processes while Redis answers. Where this is the only one, it counts short windows alone, without asking.
 * While Redis is away each admits its share of a limit, so that all of them together keep it. The local windows are asked first: what
 * this process alone has admitted is enough to refuse.
 */
export class Limiter {
  readonly #local: LocalWindows
  readonly #shared: Pick<RedisWindows, 'count' | 'giveBack' | 'away'>
  readonly #counting: Counting
  readonly #nowMs: () => number
  readonly #seed: bigint
  readonly #hasher: KeyHasher
  readonly #refused = new Map<string, number>()

  constructor({
    local,
    shared,
    counting = TOGETHER,
    secret = '',
    nowMs = () => performance.now(),
  }: {
    local: LocalWindows
    shared: Pick<RedisWindows, 'count' | 'giveBack' | 'away'>
    counting?: Counting
    /** The same in all processes that count together. */
    secret?: string
    nowMs?: () => number
  }) {
    this.#local = local
    this.#shared = shared
    this.#counting = counting
    this.#nowMs = nowMs
    this.#seed = Bun.hash.wyhash(secret)
    this.#hasher = new KeyHasher(secret)
  }

  /** Counts a call, or refuses it without a trace. */
  take(subject: Subject): Promise<Verdict> {
    return this.#judge(subject, true)
  }

  /** The same at once; undefined, and nothing is counted, where Redis must be asked. A refusal is for `take` to note. */
  takeNow(subject: Subject): VerdictNow | undefined {
    return this.#countNow(subject, true)
  }

  /** Whether nobody else takes places meanwhile. */
  get isAlone(): boolean {
    return this.#counting.isAlone(this.#nowMs())
  }

  /** Whether a call would be admitted now. */
  look(subject: Subject): Promise<Verdict> {
    return this.#judge(subject, false)
  }

  /** Takes a place for calls to come: none of them is refused where there is no such place. */
  takeAhead(subject: Subject): Promise<Verdict> {
    return this.#count(subject, true)
  }

  /** Counts so many calls that were let through before; what the window says behind them. For windows of more than a minute. */
  async countLater({ name, rule, id }: Subject, calls: number): Promise<Verdict> {
    const { limit, windowMs } = rule
    const hash = this.#hasher.hash(name, id)
    const nowMs = this.#nowMs()
    let local = this.#local.count(hash, { limit, windowMs, take: true, nowMs })
    for (let call = 1; call < calls; call++)
      local = this.#local.count(hash, { limit, windowMs, take: true, nowMs })
    const shared = await this.#shared.count(keyOf(nameOf(rule, name), id, this.#seed), {
      ...{ limit, windowMs, take: true, calls },
    })
    return verdictOf(rule, shared ?? local)
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

  /** Out of memory alone: where this gateway counts alone, or Redis is away. */
  #countNow({ name, rule, id }: Subject, take: boolean): VerdictNow | undefined {
    const { limit, windowMs } = rule
    if (windowMs > SHORT_MS) return undefined
    const nowMs = this.#nowMs()
    const isAlone = this.#counting.isAlone(nowMs)
    if (!isAlone && !this.#shared.away) return undefined
    const key = this.#hasher.hash(name, id)
    const most = isAlone ? limit : this.#counting.share(limit)
    const local = this.#local.count(key, { limit: most, windowMs, take, nowMs })
    const { table, entry } = local
    if (!local.allowed || !take) return verdictOf(rule, local)
    if (isAlone && entry < 0) {
      this.#counting.yield()
      return undefined
    }
    const giveBack = async () => {
      table.giveBack(entry)
      this.#counting.takenBack(key, nowMs)
    }
    return verdictOf(rule, local, giveBack, isAlone ? this.#counting.admitted(key, nowMs) : undefined)
  }

  async #count(subject: Subject, take: boolean): Promise<Verdict> {
    const now = this.#countNow(subject, take) ?? (await this.#countOnceSettled(subject, take))
    if (!now) return this.#countShared(subject, take)
    await now.kept
    return now
  }

  /** Where this gateway does not know how it counts: its lease has run out, or another one counts alone. */
  async #countOnceSettled(subject: Subject, take: boolean): Promise<VerdictNow | undefined> {
    if (this.#knowsRedis(subject.rule)) return undefined
    await this.#counting.settled()
    return this.#countNow(subject, take)
  }

  /** Whether Redis has all that counts, but for what the local windows say is `spent`. */
  #knowsRedis({ windowMs }: Rule): boolean {
    const nowMs = this.#nowMs()
    return windowMs > SHORT_MS || this.#counting.isTogether(nowMs) || this.#counting.isAlone(nowMs)
  }

  async #countShared({ name, rule, id }: Subject, take: boolean): Promise<Verdict> {
    const { limit, windowMs } = rule
    const nowMs = this.#nowMs()
    const local = this.#local.count(this.#hasher.hash(name, id), { limit, windowMs, take, nowMs })
    const { table, entry, spent } = local
    if (!local.allowed) return verdictOf(rule, local)
    const key = keyOf(nameOf(rule, name), id, this.#seed)
    const shared = this.#knowsRedis(rule)
      ? await this.#shared.count(key, { limit, spent, windowMs, take })
      : undefined
    // Still, as another gateway may have counted alone while this process stood still.
    if (!shared || !this.#knowsRedis(rule)) {
      // `used` includes a call that is counted, and not one that only looks.
      if (local.used + (take ? 0 : 1) <= this.#counting.share(limit))
        return verdictOf(rule, local, async () => table.giveBack(entry))
      table.giveBack(entry)
      return verdictOf(rule, { ...local, allowed: false })
    }
    const used = shared.used + spent
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
}

const nothing = async () => {}

/** Small limits are kept in another form. */
const nameOf = ({ limit }: Rule, name: string): string => (limit <= FEW ? `few:${name}` : name)

const verdictOf = (
  { limit }: Rule,
  { allowed, used, freeInMs }: { allowed: boolean; used: number; freeInMs: number },
  giveBack = nothing,
  kept: Promise<void> | undefined = undefined,
): VerdictNow => ({
  allowed,
  limit,
  remaining: allowed ? Math.max(0, limit - used) : 0,
  resetS: Math.max(1, Math.ceil(freeInMs / 1_000)),
  giveBack,
  kept,
})

/**
 * The braces keep a key in one slot of a Redis Cluster; the hash (64 bits, wyhash) bounds it and keeps ids and addresses
 * out of Redis. The secret in its seed keeps attackers from finding two ids of one key.
 */
export const keyOf = (name: string, id: string, seed: bigint): string =>
  `rl:{${name}:${Bun.hash.wyhash(id, seed).toString(36)}}`
