import { readFileSync } from 'node:fs'

/** Nanoseconds that a thread ran, and that it was ready to run while others had the processor (Linux). */
const ACCOUNT = '/proc/self/schedstat'
const NS_PER_MS = 1e6

/** How long this thread has waited for a processor, in milliseconds; 0 where the system does not say. */
function queuedMs(): number {
  try {
    return Number(readFileSync(ACCOUNT, 'utf8').split(' ')[1] ?? 0) / NS_PER_MS
  } catch {
    return 0 // no Linux, or a kernel without sched-stats: downloads go by turns and do not rest
  }
}

/** The gateway lets a body be silent for 30 s; so many downloads have had their longest turns after 24. */
export const LINE_MAX = 16
/** A page shares the processor with its own stores (0.2 to 5.3 ms in ten looks). */
const QUEUED_MS_FREE = 5
/** A page that waited longer for a processor is followed by a rest of so many times that. */
const REST_PER_QUEUED = 4
/** In a crowd a page takes some 100 ms, so this leaves downloads a third of the time. */
const REST_MS_MAX = 250
/** A page that takes longer waits for a store: the next one does not wait for it. */
const TURN_MS_MAX = 1_250

type Waiting = { resolve: (isOurs: boolean) => void }
type Clock = { queuedMs: () => number; rest: (ms: number) => Promise<void>; turnMsMax: number }

/** Instead of what was to be made: who wanted it has gone. */
export const GONE = Symbol('gone')

/** Makes the pages of all downloads one at a time, with rests while the processors are wanted by others. */
export class PaginatedExport {
  readonly #clock: Clock
  readonly #line = new Set<Waiting>()
  #isTaken = false

  constructor(clock: Partial<Clock> = {}) {
    this.#clock = { queuedMs, rest: Bun.sleep, turnMsMax: TURN_MS_MAX, ...clock }
  }

  get isFull(): boolean {
    return this.#line.size >= LINE_MAX
  }

  get waiting(): number {
    return this.#line.size
  }

  /** Makes a page in its turn, and fails as `make` does; GONE, and nothing made, once `signal` aborts. */
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

export const restAfter = (queuedMs: number): number =>
  Math.max(0, Math.min(REST_MS_MAX, Math.floor((queuedMs - QUEUED_MS_FREE) * REST_PER_QUEUED)))
