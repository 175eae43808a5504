import { BatchLoader } from '@palanquin/service/batch-loader'
import { withDeadline } from '@palanquin/service/deadline'
import type { Log } from '@palanquin/service/log'
import { PacedLoader } from '@palanquin/service/paced-loader'
import { pause } from '@palanquin/service/pause'
import type { Redis } from '@palanquin/service/redis'
import { runScript } from '@palanquin/service/redis-script'
import { retry } from '@palanquin/service/retry'
import type { Part } from '@palanquin/service/run'
import { GATHER_MS } from '../gather.ts'
import { type CountRequest, type CountResult, PREFIX } from './counts.ts'
import { MemoryWindows } from './memory-windows.ts'
import { readReply, scriptInput, WINDOW_SCRIPT } from './window-script.ts'

/** Until the first call has noticed that Redis stalls. Where ten times too much is to do a healthy one took over 100. */
const DEADLINE_MS = 250
/** While Redis is away or stalled no call waits for it; a probe finds out in the background when it is back. */
const PROBE_PAUSE_MS = 250
/** Requests of one script call, during which Redis serves nothing else: a millisecond. */
const REQUESTS_MAX = 250

/** A probe counts a call of its own, gone after a millisecond: a full Redis answers a ping, but cannot count. */
const PROBE: CountRequest = { claims: [{ key: `${PREFIX}probe`, amount: 1, limit: 1, windowMs: 1 }] }

/**
 * Sliding windows that all gateways share: one script in Redis for the requests of some milliseconds. While Redis is away or
 * stalls, this process counts in its own memory.
 */
export class Windows implements Part {
  readonly name = 'rate limits'
  readonly #redis: Redis
  readonly #log: Log
  readonly #deadlineMs: number
  readonly #memory = new MemoryWindows()
  readonly #taking: PacedLoader<CountRequest, CountResult>
  readonly #givingBack: BatchLoader<CountRequest, CountResult>
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
    const loadAll = (requests: readonly CountRequest[]) => this.#countAll(requests)
    this.#taking = new PacedLoader({ loadAll, sizeMax: REQUESTS_MAX, everyMs: GATHER_MS })
    this.#givingBack = new BatchLoader({ loadAll, sizeMax: REQUESTS_MAX })
  }

  get away(): boolean {
    return this.#away
  }

  /** Windows in this process's memory. */
  get size(): number {
    return this.#memory.size
  }

  /** Never rejects. `isBeside`: a second request of one call. What is given back waits for nobody. */
  readonly count = (request: CountRequest, options: { isBeside?: boolean } = {}): Promise<CountResult> =>
    request.takenAtMs === undefined ? this.#taking.load(request, options) : this.#givingBack.load(request)

  stop(): void {
    this.#stopping.abort()
  }

  async #countAll(requests: readonly CountRequest[]): Promise<CountResult[]> {
    try {
      if (!this.#away) return await this.#countInRedis(requests)
    } catch (error) {
      this.#noteAway(error)
    }
    const nowMs = Math.floor(performance.now())
    return requests.map((request) => this.#memory.count(request, nowMs))
  }

  async #countInRedis(requests: readonly CountRequest[]): Promise<CountResult[]> {
    const counted = runScript(this.#redis, WINDOW_SCRIPT, scriptInput(requests))
    const onLate = (error: unknown) =>
      this.#log.debug({ event: 'limits.redis_late', reason: reasonOf(error) }, 'A late response of Redis')
    const text = await withDeadline(counted, { what: 'Redis', deadlineMs: this.#deadlineMs, onLate })
    return readReply(String(text), requests)
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
      await retry(() => this.#countInRedis([PROBE]), { ...backoff, signal })
    } catch (error) {
      this.#log.debug(
        { event: 'limits.probe_ended', reason: reasonOf(error) },
        'Redis did not answer until the stop',
      )
      return
    }
    this.#away = false
    this.#memory.clear()
    this.#log.info({ event: 'limits.shared' }, 'Rate limits are shared through Redis again')
  }
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
