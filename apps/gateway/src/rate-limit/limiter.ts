import { type Counting, isInRedis, TOGETHER } from './gateways/counting.ts'
import { KeyHasher } from './memory/key-hash.ts'
import type { LocalWindows } from './memory/local-windows.ts'
import { MemoryLimiter } from './memory-limiter.ts'
import type { RedisWindows } from './redis/redis-windows.ts'
import { RedisLimiter } from './redis-limiter.ts'
import type { Subject, Verdict, VerdictNow } from './verdict.ts'

/**
 * Exact over all gateway processes while Redis answers. Where this is the only one, it counts short windows alone, without asking.
 * While Redis is away each admits its share of a limit, so that all of them together keep it.
 */
export class Limiter {
  readonly #memory: MemoryLimiter
  readonly #redis: RedisLimiter
  readonly #counting: Counting
  readonly #nowMs: () => number
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
    const hasher = new KeyHasher(secret)
    this.#memory = new MemoryLimiter({ local, shared, counting, hasher, nowMs })
    this.#redis = new RedisLimiter({ local, shared, counting, hasher, secret, nowMs })
    this.#counting = counting
    this.#nowMs = nowMs
  }

  /** Counts a call, or refuses it without a trace. */
  take(subject: Subject): Promise<Verdict> {
    return this.#judge(subject, true)
  }

  /** The same at once; undefined, and nothing is counted, where Redis must be asked. A refusal is for `take` to note. */
  takeNow(subject: Subject): VerdictNow | undefined {
    return this.#memory.count(subject, true)
  }

  /** Whether nobody else takes places meanwhile. */
  get isAlone(): boolean {
    return this.#counting.isAlone(this.#nowMs())
  }

  /** How often this process has begun to count alone. */
  get era(): number {
    return this.#counting.era
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
  countLater(subject: Subject, calls: number): Promise<Verdict> {
    return this.#redis.countLater(subject, calls)
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

  async #count(subject: Subject, take: boolean): Promise<Verdict> {
    const now = this.#memory.count(subject, take) ?? (await this.#countOnceSettled(subject, take))
    if (!now) return this.#redis.count(subject, take)
    await now.kept
    return now
  }

  /** Where this gateway does not know how it counts: its lease has run out, or another one counts alone. */
  async #countOnceSettled(subject: Subject, take: boolean): Promise<VerdictNow | undefined> {
    if (isInRedis(this.#counting, subject.rule, this.#nowMs())) return undefined
    await this.#counting.settled()
    return this.#memory.count(subject, take)
  }
}
