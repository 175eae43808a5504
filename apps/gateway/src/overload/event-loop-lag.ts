import type { Part } from '@palanquin/service/run'

/** How often the event loop is asked to come by; it costs nothing that can be measured. */
const TICK_MS = 25
/** The least delay of so long a time counts: one long tick, or a busy neighbour's moment, is no overload. */
const WINDOW_MS = 500

/**
 * How far the event loop lags behind, in milliseconds: the least that it did over the last half second, as a standing
 * queue never gets shorter while a burst comes and goes (the idea of CoDel, RFC 8289).
 */
export class EventLoopLag implements Part {
  readonly name = 'strain'
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

  /** The loop has come by. */
  tick(): void {
    const nowMs = this.#nowMs()
    const lagMs = Math.max(0, nowMs - this.#dueMs)
    this.#dueMs = nowMs + TICK_MS
    // Good news counts at once, bad news once it has lasted.
    this.#least = Math.min(this.#least, lagMs)
    this.#lagMs = Math.min(this.#lagMs, lagMs)
    if (nowMs < this.#windowEndsMs) return
    this.#lagMs = this.#least
    this.#least = Number.POSITIVE_INFINITY
    this.#windowEndsMs = nowMs + WINDOW_MS
  }
}
