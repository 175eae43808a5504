import { ApiError } from '@palanquin/service/http/api-error'
import type { Priority } from '../route.ts'

type Bounds = {
  /** Requests in progress up to which one of this priority is admitted. */
  requestsMax: number
  /** Event-loop lag up to which a busy process admits it. */
  lagMsMax: number
}

/**
 * Shed in this order: cards and exports, then everything else, check-ins last. The last number is some seconds of what one
 * process serves on a slow machine: an admitted request is served long before its deadline.
 */
export const BOUNDS: Readonly<Record<Priority, Bounds>> = {
  low: { requestsMax: 384, lagMsMax: 100 },
  normal: { requestsMax: 768, lagMsMax: 300 },
  critical: { requestsMax: 1_024, lagMsMax: 700 },
}
/** So few requests do not cause the lag: shedding them would not help. */
const BUSY_REQUESTS_MIN = 64
/** Seconds; spread, so that rejected clients do not all come back at once. */
const RETRY_AFTER_S_MAX = 3

/** Admits requests or rejects them at once: in an unbounded queue all of them would be served too late. */
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

  /** Requests rejected since the start, by priority. */
  get shed(): Readonly<Record<Priority, number>> {
    return this.#shed
  }

  /** The error of a request of this priority now; undefined if it may be admitted. */
  apiError(priority: Priority): ApiError | undefined {
    return this.isFull(priority) ? busy(++this.#shed[priority]) : undefined
  }

  /** Whether a request of this priority would be rejected now; nothing is counted. */
  isFull(priority: Priority): boolean {
    const { requestsMax, lagMsMax } = BOUNDS[priority]
    if (this.#requests >= requestsMax) return true
    return this.#requests >= BUSY_REQUESTS_MIN && this.#lag.lagMs > lagMsMax
  }

  /** Counts a request in progress that was admitted, until `left`. */
  entered(): void {
    this.#requests++
  }

  left(): void {
    this.#requests--
  }

  /** Runs `work` if its priority has capacity left, else 503 with Retry-After. */
  async admit<T>(priority: Priority, work: () => Promise<T>): Promise<T | ApiError> {
    const apiError = this.apiError(priority)
    if (apiError) return apiError
    this.entered()
    try {
      return await work()
    } finally {
      this.left()
    }
  }
}

/** Made once: the stack trace of an Error costs more than the rest of a rejection. */
const BUSY: readonly ApiError[] = Array.from(
  { length: RETRY_AFTER_S_MAX },
  (_, seconds) =>
    new ApiError('unavailable', 'The service is very busy. Please try again in a moment.', {
      'retry-after': String(1 + seconds),
    }),
)
const busy = (count: number): ApiError | undefined => BUSY[count % RETRY_AFTER_S_MAX]
