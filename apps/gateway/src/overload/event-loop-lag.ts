import type { Part } from '@palanquin/service/run'

/** How often the lag is sampled; the cost is not measurable. */
const TICK_MS = 25
/** The least lag of this window counts: one long tick, or a short burst of another process, is no overload. */
const WINDOW_MS = 500

/**
 * Event-loop lag in milliseconds, the least of the last half second: a standing queue stays, while a burst comes and goes
 * (the idea of CoDel, RFC 8289).
 */
export class EventLoopLag implements Part {
  readonly name = 'event-loop lag'
  readonly #nowMs: () => number
  #timer: ReturnType<typeof setInterval> | undefined
  #dueMs = 0
  #windowEndsMs = 0
  #least = Number.POSITIVE_INFINITY
  #lagMs = 0

  constructor({ nowMs = () => performance.now() }: { nowMs?: () => number } = {}) {
    this.#nowMs = nowMs
  }

  get lagMs(): number {
    return this.#lagMs
  }

  start(): void {
    this.begin()
    this.#timer = setInterval(() => this.tick(), TICK_MS)
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  begin(): void {
    const nowMs = this.#nowMs()
    this.#dueMs = nowMs + TICK_MS
    this.#windowEndsMs = nowMs + WINDOW_MS
  }

  /** Takes one sample. */
  tick(): void {
    const nowMs = this.#nowMs()
    const lagMs = Math.max(0, nowMs - this.#dueMs)
    this.#dueMs = nowMs + TICK_MS
    // A decrease counts at once, an increase once it has lasted.
    this.#least = Math.min(this.#least, lagMs)
    this.#lagMs = Math.min(this.#lagMs, lagMs)
    if (nowMs < this.#windowEndsMs) return
    this.#lagMs = this.#least
    this.#least = Number.POSITIVE_INFINITY
    this.#windowEndsMs = nowMs + WINDOW_MS
  }
}
