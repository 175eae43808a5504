import { ApiError } from '@palanquin/service/http/api-error'
import type { Priority } from '../route.ts'

type Bounds = {
  /** Requests that may walk through this process at once when one of this kind comes. */
  requestsMax: number
  /** Past this standing lag of the event loop a busy process lets no more of them in. */
  lagMsMax: number
}

/**
 * In this order they are turned away: cards and exports, then everything else, check-ins last. The last number is some
 * seconds of what one process can answer on a slow machine: who is let in is answered long before the deadline.
 */
export const BOUNDS: Readonly<Record<Priority, Bounds>> = {
  low: { requestsMax: 384, lagMsMax: 100 },
  normal: { requestsMax: 768, lagMsMax: 300 },
  critical: { requestsMax: 1_024, lagMsMax: 700 },
}
/** A process with so few requests in hand is not what makes the loop lag: shedding them would help nobody. */
const BUSY_REQUESTS_MIN = 64
/** Seconds; a crowd that comes back all at once would be the next one, so not everybody is told the same. */
const RETRY_AFTER_S_MAX = 3

/** Lets requests in, or turns them away at once: what waits without a bound is answered too late by all. */
export class Admission {
  readonly #lag: { readonly lagMs: number }
  readonly #shed: Record<Priority, number> = { low: 0, normal: 0, critical: 0 }
  #requests = 0

  constructor(lag: { readonly lagMs: number }) {
    this.#lag = lag
  }

  get requests(): number {
    return this.#requests
  }

  /** How many of each kind were turned away since the start. */
  get shed(): Readonly<Record<Priority, number>> {
    return this.#shed
  }

  /** What one of this kind would be told now; undefined if it may come in. */
  apiError(kind: Priority): ApiError | undefined {
    const { requestsMax, lagMsMax } = BOUNDS[kind]
    const lags = this.#requests >= BUSY_REQUESTS_MIN && this.#lag.lagMs > lagMsMax
    if (this.#requests < requestsMax && !lags) return undefined
    return busy(++this.#shed[kind])
  }

  /** Runs `work` if there is room for its kind, else refuses with 503 and Retry-After. */
  async admit<T>(kind: Priority, work: () => Promise<T>): Promise<T | ApiError> {
    const apiError = this.apiError(kind)
    if (apiError) return apiError
    this.#requests++
    try {
      return await work()
    } finally {
      this.#requests--
    }
  }
}

/** Made once: an Error looks up where it was made, which costs more than all the rest of turning somebody away. */
const BUSY: readonly ApiError[] = Array.from(
  { length: RETRY_AFTER_S_MAX },
  (_, seconds) =>
    new ApiError('unavailable', 'The service is very busy. Please try again in a moment.', {
      'retry-after': String(1 + seconds),
    }),
)
const busy = (turn: number): ApiError | undefined => BUSY[turn % RETRY_AFTER_S_MAX]
