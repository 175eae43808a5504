import { queuedMs } from '../processor-queue.ts'

/**
 * Downloads that may wait for a page when one more wants to begin. The gateway lets a body be silent for 30 s, and all of
 * them have had their longest turns and rests after 24.
 */
export const LINE_MAX = 16
/** A page waits so long for an idle processor: it shares it with its own stores (0.2 to 5.3 ms in ten looks). */
const QUEUED_MS_FREE = 5
/** A page that stood in line for a processor for longer is followed by so many times that while without one. */
const REST_PER_QUEUED = 4
/** In a crowd a page takes some 100 ms, so this leaves downloads a third of the time. */
const REST_MS_MAX = 250
/** A page that takes longer waits for a store and not for a processor: all others behind it would fall silent as well. */
const TURN_MS_MAX = 1_250

type Waiting = { resolve: (isOurs: boolean) => void }
type Clock = { queuedMs: () => number; rest: (ms: number) => Promise<void>; turnMsMax: number }

/** Instead of what was to be made: who wanted it has gone. */
export const GONE = Symbol('gone')

/**
 * The pages of all downloads of a process, made one at a time and in the order in which they are wanted, so that downloads
 * that are under way alternate. A page is less urgent than the 202 of a participant: if the processors
 * were wanted by others while it was made, the next one begins after a rest in proportion. On a quiet machine there is none.
 *
 * What an organiser sees: alone on a quiet machine, nothing of this. While the crowd checks in, the file grows slowly and
 * comes whole. Where a file could not begin within four seconds, the organiser gets a 503 with ten seconds to retry.
 */
export class PaginatedExport {
  readonly #clock: Clock
  readonly #line = new Set<Waiting>()
  #isTaken = false

  constructor(clock: Partial<Clock> = {}) {
    this.#clock = { queuedMs, rest: Bun.sleep, turnMsMax: TURN_MS_MAX, ...clock }
  }

  /** Whether a download that has not begun should come later. */
  get isFull(): boolean {
    return this.#line.size >= LINE_MAX
  }

  /** How many wait. */
  get waiting(): number {
    return this.#line.size
  }

  /**
   * Makes a page when its turn has come, and fails as `make` does. GONE, and nothing is made, once `signal` says so; a
   * page that is being made then is finished, for a statement that runs is not taken back.
   */
  async take<T>(make: () => Promise<T>, signal: AbortSignal): Promise<T | typeof GONE> {
    if (!(await this.#turn(signal))) return GONE
    const fromMs = this.#clock.queuedMs()
    let isOver = false
    const end = (restMs: number) => {
      if (!isOver) void this.#passOn(restMs)
      isOver = true
    }
    const late = setTimeout(end, this.#clock.turnMsMax, 0)
    try {
      return await make()
    } finally {
      clearTimeout(late)
      end(restAfter(this.#clock.queuedMs() - fromMs))
    }
  }

  async #turn(signal: AbortSignal): Promise<boolean> {
    if (signal.aborted) return false
    if (!this.#isTaken) {
      this.#isTaken = true
      return true
    }
    const { promise, resolve } = Promise.withResolvers<boolean>()
    const waiting = { resolve }
    const leave = () => {
      this.#line.delete(waiting)
      resolve(false)
    }
    this.#line.add(waiting)
    signal.addEventListener('abort', leave)
    try {
      return await promise
    } finally {
      signal.removeEventListener('abort', leave)
    }
  }

  async #passOn(restMs: number): Promise<void> {
    if (restMs > 0) await this.#clock.rest(restMs)
    const [next] = this.#line
    if (!next) {
      this.#isTaken = false
      return
    }
    this.#line.delete(next)
    next.resolve(true)
  }
}

/** What follows a page during which this process stood in line for so long, in whole milliseconds. */
export const restAfter = (queuedMs: number): number =>
  Math.max(0, Math.min(REST_MS_MAX, Math.floor((queuedMs - QUEUED_MS_FREE) * REST_PER_QUEUED)))
