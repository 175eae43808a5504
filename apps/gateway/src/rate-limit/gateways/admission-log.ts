import { Departures } from '@palanquin/service/departures'
import { GATHER_MS } from '../../gather.ts'
import type { KeyHash } from '../memory/key-hash.ts'
import type { RedisWindows } from '../redis/redis-windows.ts'
import { append } from './heartbeat-script.ts'
import { LoggedCalls } from './logged-calls.ts'

/**
 * Logs in Redis what a gateway that counts alone admits, so that another one knows it after a handover or a crash. Calls of some milliseconds go
 * together; the next ones wait for the answer, which is late once at most (`RedisWindows.attempt`).
 */
export class AdmissionLog {
  readonly #shared: Pick<RedisWindows, 'attempt' | 'away'>
  readonly #id: string
  readonly #nowMs: () => number
  readonly #departures = new Departures({ everyMs: GATHER_MS, leave: () => this.#leave() })
  #waiting = new LoggedCalls()
  #appending: Promise<void> | undefined
  #isDue = false

  /** `id`: of this gateway. */
  constructor({
    shared,
    id,
    nowMs,
  }: { shared: Pick<RedisWindows, 'attempt' | 'away'>; id: string; nowMs: () => number }) {
    this.#shared = shared
    this.#id = id
    this.#nowMs = nowMs
  }

  /** Resolves, and never rejects, when the call is logged or cannot be; undefined while Redis is away. */
  add(key: KeyHash, atMs: number): Promise<void> | undefined {
    return this.#join((calls) => calls.add(key, atMs))
  }

  /** A call that was admitted at `atMs` does not count. */
  takeBack(key: KeyHash, atMs: number): Promise<void> | undefined {
    return this.#join((calls) => calls.takeBack(key, atMs))
  }

  /** When nothing waits to be logged. */
  async flush(): Promise<void> {
    while (this.#appending || this.#waiting.count > 0) {
      this.#leave()
      await this.#appending
    }
  }

  #join(write: (calls: LoggedCalls) => boolean): Promise<void> | undefined {
    const calls = this.#waiting
    if (this.#shared.away || !write(calls)) return undefined
    this.#departures.joined(calls.count)
    return calls.kept
  }

  readonly #leave = (): Promise<void> | undefined => {
    this.#isDue = this.#appending !== undefined
    if (this.#isDue || this.#waiting.count === 0) return this.#appending
    const calls = this.#waiting
    this.#waiting = new LoggedCalls()
    this.#appending = this.#append(calls)
    return this.#appending
  }

  async #append(calls: LoggedCalls): Promise<void> {
    await this.#shared.attempt((redis) => append(redis, { id: this.#id, calls: calls.toText(this.#nowMs()) }))
    calls.resolve()
    this.#appending = undefined
    if (this.#isDue) this.#leave()
  }
}
