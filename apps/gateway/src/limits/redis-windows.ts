import { withDeadline } from '@palanquin/service/deadline'
import type { Log } from '@palanquin/service/log'
import type { Redis } from '@palanquin/service/redis'
import type { Part } from '@palanquin/service/run'
import type { Count } from './own-windows.ts'
import { WINDOW_SCRIPT, WINDOW_SCRIPT_SHA } from './script.ts'

/** A limit may cost a request this much at most, and only until the first call noticed that Redis stalls. */
const DEADLINE_MS = 100
/** While Redis is away or stalls nobody waits for it; it is asked in the background whether it is back. */
const PROBE_PAUSE_MS = 250
/** A probe counts a call of its own (gone after a millisecond): a Redis that is full answers a ping, but cannot count. */
const PROBE_KEY = 'rl:{probe}'

/** `stamp` is what `giveBack` wants. */
export type SharedCount = Count & { stamp: string }

/**
 * Exact sliding windows that all gateway processes share: one script in Redis, by Redis' own clock. `undefined` when
 * Redis is away or too slow; after that nothing waits for it until it could count in time again.
 */
export class RedisWindows implements Part {
  readonly name = 'rate limits'
  readonly #redis: Redis
  readonly #log: Log
  #away = false
  #probe: ReturnType<typeof setTimeout> | undefined

  constructor({ redis, log }: { redis: Redis; log: Log }) {
    this.#redis = redis
    this.#log = log
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
      return readCount(await this.#inTime(this.#run(key, limit, windowMs, take)))
    } catch (error) {
      this.#leaveAlone(error)
      return undefined
    }
  }

  /** Takes back a call that `count` let through. Left undone when Redis is away: the entry expires by itself. */
  async giveBack(key: string, stamp: string): Promise<void> {
    try {
      await this.#inTime(this.#redis.lRem(key, -1, stamp))
    } catch (error) {
      this.#leaveAlone(error)
    }
  }

  stop(): void {
    clearTimeout(this.#probe)
  }

  /** `send`, because the client's own `evalSha` costs a quarter more (measured). */
  async #run(key: string, limit: number, windowMs: number, take: boolean): Promise<unknown> {
    const rest = ['1', key, String(limit), String(windowMs * 1_000), take ? '1' : '0']
    try {
      return await this.#redis.send(key, ['EVALSHA', WINDOW_SCRIPT_SHA, ...rest])
    } catch (error) {
      if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error
      return await this.#redis.send(key, ['EVAL', WINDOW_SCRIPT, ...rest])
    }
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
        await this.#inTime(this.#run(PROBE_KEY, 1, 1, true))
        this.#away = false
        this.#log.info('rate limits are shared through Redis again')
      } catch (error) {
        this.#log.debug({ reason: reasonOf(error) }, 'Redis does not answer yet')
        this.#probeSoon()
      }
    }, PROBE_PAUSE_MS)
  }

  #inTime<T>(work: Promise<T>): Promise<T> {
    const onLate = (error: unknown) => this.#log.debug({ reason: reasonOf(error) }, 'a late answer of Redis')
    return withDeadline(work, { what: 'Redis', deadlineMs: DEADLINE_MS, onLate })
  }
}

function readCount(reply: unknown): SharedCount {
  const [allowed, used, freeInUs, stamp = ''] = String(reply).split(' ')
  return { allowed: allowed === '1', used: Number(used), freeInMs: Number(freeInUs) / 1_000, stamp }
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
