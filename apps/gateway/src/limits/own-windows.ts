/** One key's admissions, oldest first, and when the last of them leaves its window. */
type Window = { times: number[]; expiresAtMs: number }

/** What a window says of one more call. `freeInMs`: until its oldest entry leaves. */
export type Count = { allowed: boolean; used: number; freeInMs: number }

/** Keys remembered at most; the longest unused one is forgotten for a new one. Some 200 bytes each. */
const KEYS_MAX = 100_000
/** Expired keys looked for at each call, so that memory follows the traffic down without a timer. */
const SWEPT_PER_CALL = 2

/**
 * Exact sliding windows in this process's own memory: a log of times for each key. Always kept, because what this
 * process alone let through is a lower bound of what all did: it can refuse without asking Redis, and when Redis is
 * away it is all there is. Times are of a clock that never jumps (`performance.now()`), passed in.
 */
export class OwnWindows {
  readonly #windows = new Map<string, Window>()
  readonly #keysMax: number

  constructor({ keysMax = KEYS_MAX }: { keysMax?: number } = {}) {
    this.#keysMax = keysMax
  }

  get size(): number {
    return this.#windows.size
  }

  /** Counts a call if there is room; `take: false` only looks. A refused call leaves no trace. */
  count(
    key: string,
    { limit, windowMs, take, nowMs }: { limit: number; windowMs: number; take: boolean; nowMs: number },
  ): Count {
    this.#sweep(nowMs)
    const window = this.#windows.get(key)
    const times = window?.times ?? []
    const past = times.findIndex((time) => time > nowMs - windowMs)
    if (past !== 0 && times.length > 0) times.splice(0, past === -1 ? times.length : past)
    const allowed = times.length < limit
    if (allowed && take) {
      times.push(nowMs)
      this.#touch(key, { times, expiresAtMs: nowMs + windowMs })
    }
    const oldest = times[0] ?? nowMs
    return { allowed, used: times.length, freeInMs: oldest + windowMs - nowMs }
  }

  /** Takes back a call that `count` let through at `atMs`. */
  giveBack(key: string, atMs: number): void {
    const times = this.#windows.get(key)?.times
    const index = times?.lastIndexOf(atMs) ?? -1
    if (index >= 0) times?.splice(index, 1)
  }

  #touch(key: string, window: Window): void {
    this.#windows.delete(key)
    if (this.#windows.size >= this.#keysMax) {
      const [longestUnused] = this.#windows.keys()
      if (longestUnused !== undefined) this.#windows.delete(longestUnused)
    }
    this.#windows.set(key, window)
  }

  #sweep(nowMs: number): void {
    let looked = 0
    for (const [key, { expiresAtMs }] of this.#windows) {
      if (expiresAtMs > nowMs || ++looked > SWEPT_PER_CALL) return
      this.#windows.delete(key)
    }
  }
}
