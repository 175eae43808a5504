import type { BatchBounds } from '../buffer/read.ts'

/** While PostgreSQL stores one batch, the next is read and planned. */
const URGENT = {
  shardsAtOnce: 4,
  bounds: { entries: 4_096, points: 20_000 },
  window: { entries: 16_384, points: 80_000 },
} as const
/**
 * One shard: what a flush does then keeps at most one processor busy, as tracking and PostgreSQL work by turns. Decoding, planning and
 * writing a batch out holds the event loop of tracking, on which check-ins wait, and its confirmation holds Redis: with
 * four shards of 4,096 entries half of all check-ins took 90 ms, with one of 1,024 they take 5 (docs/performance.md).
 */
const GENTLE = {
  shardsAtOnce: 1,
  bounds: { entries: 1_024, points: 5_000 },
  window: { entries: 65_536, points: 160_000 },
} as const
/** The rests grow shorter until then, in ms; a flush that is not done goes on in a hurry: a buffer must not grow for ever. */
const GENTLE_MS_MAX = 180_000
/** After a batch that waited for a slow store. */
const REST_MS_MAX = 1_000

type Clock = { nowMs: () => number; rest: (ms: number) => Promise<void> }
type Settings = { clock?: Clock; bounds?: BatchBounds }

/**
 * How fast a flush goes. An urgent one is as fast as it can be: somebody waits for it. A gentle one leaves room for what is
 * accepted meanwhile, as it has five minutes until the next: one shard at a time, in small batches, with a rest after each that
 * is at first as long as the batch took. Where processors are short a batch takes longer, and so does its rest.
 */
export class Pace {
  readonly #clock: Clock
  readonly #bounds: BatchBounds
  readonly #startedMs: number
  readonly #hurried = Promise.withResolvers<void>()
  #isUrgent = false

  private constructor({ clock = SYSTEM_CLOCK, bounds = GENTLE.bounds }: Settings = {}) {
    this.#clock = clock
    this.#bounds = bounds
    this.#startedMs = clock.nowMs()
  }

  static gentle(settings?: Settings): Pace {
    return new Pace(settings)
  }

  static urgent(): Pace {
    const pace = new Pace()
    pace.hurry()
    return pace
  }

  get isUrgent(): boolean {
    return this.#isUrgent
  }

  get shardsAtOnce(): number {
    return this.#isUrgent ? URGENT.shardsAtOnce : GENTLE.shardsAtOnce
  }

  /** What one batch holds at most. */
  get bounds(): BatchBounds {
    return this.#isUrgent ? URGENT.bounds : this.#bounds
  }

  /** What is read of a shard before any of it is stored, so that a participant's entries come together. */
  get window(): BatchBounds {
    return this.#isUrgent ? URGENT.window : GENTLE.window
  }

  /** Resolves when the flush is, or becomes, urgent. */
  get hurried(): Promise<void> {
    return this.#hurried.promise
  }

  /** Makes the flush urgent; a rest under way ends. */
  hurry(): void {
    this.#isUrgent = true
    this.#hurried.resolve()
  }

  /** Stores one batch, and rests. Fails as `store` does, at once. */
  async batch<T>(store: () => Promise<T>): Promise<T> {
    const fromMs = this.#clock.nowMs()
    const stored = await store()
    const untilMs = this.#clock.nowMs()
    if (untilMs - this.#startedMs >= GENTLE_MS_MAX) this.hurry()
    if (!this.#isUrgent) {
      const restMs = restAfter(untilMs - fromMs, untilMs - this.#startedMs)
      await Promise.race([this.#clock.rest(restMs), this.hurried])
    }
    return stored
  }
}

const SYSTEM_CLOCK: Clock = { nowMs: () => performance.now(), rest: Bun.sleep }

/** What follows a batch that took so long, in a flush that has run for so long; all in ms. */
export const restAfter = (tookMs: number, runningMs: number): number =>
  Math.min(REST_MS_MAX, tookMs * Math.max(0, 1 - runningMs / GENTLE_MS_MAX))
