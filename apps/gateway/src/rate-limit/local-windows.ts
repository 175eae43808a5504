import { RecentMap } from '@palanquin/service/recent-map'

/** What a window says of one more call. `freeInMs`: until its oldest entry leaves. */
export type Count = { allowed: boolean; used: number; freeInMs: number }

/** Keys remembered at most; the longest unused ones are forgotten for new ones. Some 200 bytes each. */
const KEYS_MAX = 200_000

/**
 * Exact sliding windows in this process's own memory: a log of times for each key, oldest first. Always kept, because what
 * this process alone let through is a lower bound of what all did: it can refuse without asking Redis, and when Redis is
 * away it is all there is. Times are of a clock that never jumps (`performance.now()`), passed in.
 */
export class LocalWindows {
  readonly #windows: RecentMap<number[]>
  /** When the last window of each generation has emptied: so memory follows the traffic down without a timer. */
  #youngEmptyAtMs = 0
  #oldEmptyAtMs = 0

  constructor({ keysMax = KEYS_MAX }: { keysMax?: number } = {}) {
    const onTurn = () => {
      this.#oldEmptyAtMs = this.#youngEmptyAtMs
      this.#youngEmptyAtMs = 0
    }
    this.#windows = new RecentMap(keysMax, { onTurn })
  }

  get size(): number {
    return this.#windows.size
  }

  /** Counts a call if there is room; `take: false` only looks. A refused call leaves no trace. */
  count(
    key: string,
    { limit, windowMs, take, nowMs }: { limit: number; windowMs: number; take: boolean; nowMs: number },
  ): Count {
    if (nowMs >= this.#oldEmptyAtMs) this.#windows.turn()
    const times = this.#windows.get(key) ?? []
    const past = times.findIndex((time) => time > nowMs - windowMs)
    if (past !== 0 && times.length > 0) times.splice(0, past === -1 ? times.length : past)
    const allowed = times.length < limit
    if (allowed && take) {
      times.push(nowMs)
      this.#windows.set(key, times)
      this.#youngEmptyAtMs = Math.max(this.#youngEmptyAtMs, nowMs + windowMs)
    }
    const oldest = times[0] ?? nowMs
    return { allowed, used: times.length, freeInMs: oldest + windowMs - nowMs }
  }

  /** Takes back a call that `count` let through at `atMs`. */
  giveBack(key: string, atMs: number): void {
    const times = this.#windows.get(key)
    const index = times?.lastIndexOf(atMs) ?? -1
    if (index >= 0) times?.splice(index, 1)
  }
}
