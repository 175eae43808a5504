import type { Counting, CountingParts } from './gateways/counting.ts'
import type { KeyHasher } from './memory/key-hash.ts'
import { type LocalWindows, SHORT_MS } from './memory/local-windows.ts'
import type { RedisWindows } from './redis/redis-windows.ts'
import { type Subject, type VerdictNow, verdictOf } from './verdict.ts'

/** Counts at once, out of memory: where this gateway counts alone, or Redis is away. */
export class MemoryLimiter {
  readonly #local: LocalWindows
  readonly #shared: Pick<RedisWindows, 'away'>
  readonly #counting: Counting
  readonly #hasher: KeyHasher
  readonly #nowMs: () => number

  constructor({
    local,
    shared,
    counting,
    hasher,
    nowMs,
  }: CountingParts & { shared: Pick<RedisWindows, 'away'> }) {
    this.#local = local
    this.#shared = shared
    this.#counting = counting
    this.#hasher = hasher
    this.#nowMs = nowMs
  }

  /** Counts a call, or with `take: false` looks; undefined, and nothing is counted, where Redis must be asked. */
  count({ name, rule, id }: Subject, take: boolean): VerdictNow | undefined {
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
}
