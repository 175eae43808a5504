import { withDeadline } from '@palanquin/service/deadline'
import type { Log } from '@palanquin/service/log'
import type { PacedLoader } from '@palanquin/service/paced-loader'
import { pause } from '@palanquin/service/pause'
import type { Redis } from '@palanquin/service/redis'
import { runScript } from '@palanquin/service/redis-script'
import { retry } from '@palanquin/service/retry'
import type { Part } from '@palanquin/service/run'
import type { CountRequest } from './call-groups.ts'
import { type SharedCount, sharedCounts } from './redis-counts.ts'
import { FEW, GIVE_BACK_SCRIPT } from './window-script.ts'

/**
 * What a limit may cost a request at most, and only until the first call has noticed that Redis stalls. On a machine with
 * ten times too much to do, a healthy Redis took longer than 100 ms.
 */
const DEADLINE_MS = 250
/** While Redis is away or stalled no call waits for it; a probe finds out in the background when it is back. */
const PROBE_PAUSE_MS = 250
/** A probe counts a call of its own (gone after a millisecond): a Redis that is full answers a ping, but cannot count. */
const PROBE = { key: 'rl:{probe}', limit: 1, spent: 0, windowMs: 1, take: true }

/**
 * Exact sliding windows that all gateway processes share: one script in Redis, by Redis' own clock. `undefined` when
 * Redis is away or too slow; after that nothing waits for it until a probe could count in time.
 */
export class RedisWindows implements Part {
  readonly name = 'rate limits'
  readonly #redis: Redis
  readonly #log: Log
  readonly #deadlineMs: number
  readonly #counts: PacedLoader<CountRequest, SharedCount>
  readonly #stopping = new AbortController()
  #away = false

  constructor({
    redis,
    log,
    deadlineMs = DEADLINE_MS,
  }: { redis: Redis; log: Log; deadlineMs?: number | undefined }) {
    this.#redis = redis
    this.#log = log
    this.#deadlineMs = deadlineMs
    this.#counts = sharedCounts({ redis, deadlineMs, onLate: this.#late })
  }

  get away(): boolean {
    return this.#away
  }

  async count(
    key: string,
    { spent = 0, ...request }: Omit<CountRequest, 'key' | 'spent'> & { spent?: number },
  ): Promise<SharedCount | undefined> {
    if (this.#away) return undefined
    try {
      return await this.#counts.load({ key, spent, ...request })
    } catch (error) {
      this.#noteAway(error)
      return undefined
    }
  }

  /** Runs another command that the limits need; undefined when Redis is away or late. Never rejects. */
  async attempt<T>(work: (redis: Redis) => Promise<T>): Promise<T | undefined> {
    if (this.#away) return undefined
    try {
      return await withDeadline(work(this.#redis), {
        what: 'Redis',
        deadlineMs: this.#deadlineMs,
        onLate: this.#late,
      })
    } catch (error) {
      this.#noteAway(error)
      return undefined
    }
  }

  /** Takes back a call that `count` admitted. Left undone when Redis is away: the entry expires by itself. */
  async giveBack(key: string, { limit, stamp }: { limit: number; stamp: string }): Promise<void> {
    await this.attempt<unknown>((redis) =>
      limit <= FEW
        ? runScript(redis, GIVE_BACK_SCRIPT, { keys: [key], args: [stamp] })
        : redis.lRem(key, -1, stamp),
    )
  }

  stop(): void {
    this.#stopping.abort()
  }

  #noteAway(error: unknown): void {
    if (this.#away) return
    this.#away = true
    this.#log.warn(
      { event: 'limits.local', reason: reasonOf(error) },
      'Rate limits are counted in this process until Redis answers',
    )
    void this.#probe()
  }

  /** Never rejects; ends when Redis counts again, or at the stop. */
  async #probe(): Promise<void> {
    const { signal } = this.#stopping
    const backoff = { minMs: PROBE_PAUSE_MS, maxMs: PROBE_PAUSE_MS, jitter: 0 }
    await pause(PROBE_PAUSE_MS, signal)
    try {
      await retry(() => this.#counts.load(PROBE), { ...backoff, signal })
    } catch (error) {
      this.#log.debug(
        { event: 'limits.probe_ended', reason: reasonOf(error) },
        'Redis did not answer until the stop',
      )
      return
    }
    this.#away = false
    this.#log.info({ event: 'limits.shared' }, 'Rate limits are shared through Redis again')
  }

  readonly #late = (error: unknown) =>
    this.#log.debug({ event: 'limits.redis_late', reason: reasonOf(error) }, 'A late response of Redis')
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
