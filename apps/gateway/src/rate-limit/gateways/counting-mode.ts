import { SHORT_MS } from '../memory/local-windows.ts'
import { type Intent, LEASE_MS, type Word } from './heartbeat-script.ts'

/** Longer than a call takes to the log at most: it waits for one append (250 ms) and is in the next. */
const LEASE_MARGIN_MS = 600
/** A gateway counts with others for so long after a heartbeat. It is gone for them only after twice as long. */
const IN_TOUCH_MS = 30_000
/** A gateway knows all that counts when it was the only one for the longest window that it may count alone, and a second. */
const QUIET_MS = SHORT_MS + 1_000

/** What a gateway has to do after a heartbeat. */
export type Step = 'none' | 'begin' | 'end' | 'join'

/**
 * How this gateway counts the short windows: alone, in its memory; together with the others, in Redis; or not yet, because another one
 * counts alone or Redis has not said. A right to count lasts a while by this process's own clock, from before Redis was asked.
 */
export class CountingMode {
  #mode: 'joining' | 'together' | 'alone' = 'joining'
  #untilMs = Number.NEGATIVE_INFINITY
  #heardMs = Number.NEGATIVE_INFINITY
  /** Since when no other gateway counts, and none came or went. */
  #quietMs = Number.POSITIVE_INFINITY
  #changed = ''
  /** Until Redis knows that it no longer counts alone. */
  #isYielding = false
  #isStopped = false

  isAlone(nowMs: number): boolean {
    return this.#mode === 'alone' && nowMs < this.#untilMs
  }

  isTogether(nowMs: number): boolean {
    return this.#mode === 'together' && nowMs < this.#untilMs
  }

  get isJoining(): boolean {
    return this.#mode === 'joining'
  }

  get isYielding(): boolean {
    return this.#isYielding
  }

  /** `lostMs`: when it last did not remember what it admitted. */
  intent(nowMs: number, lostMs: number): Intent {
    if (this.#isStopped) return 'leave'
    if (this.#mode === 'alone') return 'keep'
    if (this.#mode === 'joining') return 'join'
    return nowMs - Math.max(this.#quietMs, lostMs) >= QUIET_MS ? this.#changed : '-'
  }

  /** What Redis said to a heartbeat that was sent then. */
  heard({ sole, changed, all }: Word, { sentMs, nowMs }: { sentMs: number; nowMs: number }): Step {
    if (this.#isStopped) return 'none'
    const inTouch = sentMs - this.#heardMs < IN_TOUCH_MS
    this.#heardMs = sentMs
    if (all.length !== 1 || changed !== this.#changed || sole === 'other' || this.#mode !== 'together')
      this.#quietMs = nowMs
    this.#changed = changed
    const was = this.#mode
    if (sole === 'self')
      return this.#isYielding ? 'none' : this.#hold('alone', sentMs + LEASE_MS - LEASE_MARGIN_MS)
    this.#isYielding = false
    if (sole === 'none' && was !== 'joining' && inTouch) return this.#hold('together', sentMs + IN_TOUCH_MS)
    this.#mode = 'joining'
    return sole === 'other' ? 'none' : 'join'
  }

  /** Has learnt what a gateway that counted alone admitted. */
  joined(): void {
    this.#hold('together', this.#heardMs + IN_TOUCH_MS)
  }

  /** No longer counts alone, at once; whether it did. Redis is told once all that it admitted is in the log. */
  yield(): boolean {
    if (this.#mode !== 'alone') return false
    this.#isYielding = true
    // What it knows is complete from here on, not from before.
    this.#changed = ''
    this.joined()
    return true
  }

  /** The process ends within seconds: what is still under way is counted together. */
  stop(): void {
    this.#isStopped = true
    this.#hold('together', Number.POSITIVE_INFINITY)
  }

  #hold(mode: 'together' | 'alone', untilMs: number): Step {
    const was = this.#mode
    this.#mode = mode
    this.#untilMs = untilMs
    if (mode === was) return 'none'
    return mode === 'alone' ? 'begin' : 'end'
  }
}
