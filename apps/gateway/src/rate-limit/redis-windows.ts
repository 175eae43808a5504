import type { BatchLoader } from '@palanquin/service/batch-loader'
import { withDeadline } from '@palanquin/service/deadline'
import type { Log } from '@palanquin/service/log'
import type { Redis } from '@palanquin/service/redis'
import type { Part } from '@palanquin/service/run'
import { type CountRequest, type SharedCount, sharedCounts } from './redis-counts.ts'

/** For a place to be given back; nobody waits for it but who was refused anyway. */
const DEADLINE_MS = 250
/** While Redis is away or stalls nobody waits for it; it is asked in the background whether it is back. */
const PROBE_PAUSE_MS = 250
/** A probe counts a call of its own (gone after a millisecond): a Redis that is full answers a ping, but cannot count. */
const PROBE_KEY = 'rl:{probe}'

/**
 * Exact sliding windows that all gateway processes share: one script in Redis, by Redis' own clock. `undefined` when
 * Redis is away or too slow; after that nothing waits for it until it could count in time again.
 */
export class RedisWindows implements Part {
  readonly name = 'rate limits'
  readonly #redis: Redis
  readonly #log: Log
  readonly #counts: BatchLoader<CountRequest, SharedCount>
  #away = false
  #probe: ReturnType<typeof setTimeout> | undefined

  constructor({ redis, log }: { redis: Redis; log: Log }) {
    this.#redis = redis
    this.#log = log
    this.#counts = sharedCounts({ redis, onLate: this.#late })
  }

  get away(): boolean {
    return this.#away
  }

  async count(
    key: string,
    { limit, windowMs, take }: { limit: number; windowMs: number; take: boolean },
  ): Promise<SharedCount | undefined> {
    if (this.#away) return undefined
    try {
      return await this.#counts.load({ key, limit, windowMs, take })
    } catch (error) {
      this.#leaveAlone(error)
      return undefined
    }
  }

  /** Does something else in Redis that the limits need; undefined when it is away or late. Never rejects. */
  async attempt<T>(work: (redis: Redis) => Promise<T>): Promise<T | undefined> {
    if (this.#away) return undefined
    try {
      return await this.#inTime(work(this.#redis))
    } catch (error) {
      this.#leaveAlone(error)
      return undefined
    }
  }

  /** Takes back a call that `count` let through. Left undone when Redis is away: the entry expires by itself. */
  async giveBack(key: string, stamp: string): Promise<void> {
    await this.attempt((redis) => redis.lRem(key, -1, stamp))
  }

  stop(): void {
    clearTimeout(this.#probe)
  }

  #leaveAlone(error: unknown): void {
    if (this.#away) return
    this.#log.warn({ reason: reasonOf(error) }, 'rate limits are kept in this process until Redis answers')
    this.#away = true
    this.#probeSoon()
  }

  #probeSoon(): void {
    this.#probe = setTimeout(async () => {
      try {
        await this.#counts.load({ key: PROBE_KEY, limit: 1, windowMs: 1, take: true })
        this.#away = false
        this.#log.info('rate limits are shared through Redis again')
      } catch (error) {
        this.#log.debug({ reason: reasonOf(error) }, 'Redis does not answer yet')
        this.#probeSoon()
      }
    }, PROBE_PAUSE_MS)
  }

  #inTime<T>(work: Promise<T>): Promise<T> {
    return withDeadline(work, { what: 'Redis', deadlineMs: DEADLINE_MS, onLate: this.#late })
  }

  readonly #late = (error: unknown) => this.#log.debug({ reason: reasonOf(error) }, 'a late answer of Redis')
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
