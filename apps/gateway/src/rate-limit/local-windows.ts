/** What a window says of one more call. `freeInMs`: until its oldest entry leaves. */
export type Count = { allowed: boolean; used: number; freeInMs: number }

/** Keys kept at most; the least recently counted are dropped for new ones. Some 100 bytes each. */
const KEYS_MAX = 200_000

/** Windows that were counted in one span of time, and when the last of them is empty. */
type Generation = { windows: Map<string, Window | OneTime>; emptyAtMs: number }
/** Times from `first` on: those before it have left the window. */
type Window = { times: number[]; first: number }
/** Most keys of a crowd were counted once lately: a number takes no object and no array. */
type OneTime = number
const newGeneration = (): Generation => ({ windows: new Map(), emptyAtMs: 0 })

/**
 * Exact sliding windows in this process: a log of times for each key, oldest first. Always counted, because what this process
 * admitted is a lower bound of what all did: it can refuse without asking Redis, and is all there is while Redis is away.
 * Two generations, as in an LRU; the older is dropped when it is full or when its windows are empty, so that memory
 * follows the traffic down. Times are of a monotonic clock (`performance.now()`), passed in.
 */
export class LocalWindows {
  readonly #generationMax: number
  #young = newGeneration()
  #old = newGeneration()

  constructor({ keysMax = KEYS_MAX }: { keysMax?: number } = {}) {
    this.#generationMax = keysMax / 2
  }

  /** A key that was counted in both generations counts twice. */
  get size(): number {
    return this.#young.windows.size + this.#old.windows.size
  }

  /** Counts a call if the limit allows it; `take: false` only looks. A refused call leaves no trace. */
  count(
    key: string,
    { limit, windowMs, take, nowMs }: { limit: number; windowMs: number; take: boolean; nowMs: number },
  ): Count {
    this.dropEmpty(nowMs)
    const window = this.#windowOf(key)
    leave(window, nowMs - windowMs)
    const { times, first } = window
    const allowed = times.length - first < limit
    if (allowed && take) {
      times.push(nowMs)
      if (this.#young.windows.size >= this.#generationMax) this.#dropOld()
      this.#young.windows.set(key, times.length === 1 ? nowMs : window)
      this.#young.emptyAtMs = Math.max(this.#young.emptyAtMs, nowMs + windowMs)
    }
    const oldest = times[first] ?? nowMs
    return { allowed, used: times.length - first, freeInMs: oldest + windowMs - nowMs }
  }

  /** Drops windows that are empty by now; called at times too, for a night without calls. */
  dropEmpty(nowMs: number): void {
    if (nowMs >= this.#old.emptyAtMs) this.#dropOld()
  }

  /** Takes back a call that `count` admitted at `atMs`. */
  giveBack(key: string, atMs: number): void {
    const found = this.#find(key)
    if (found === undefined) return
    if (typeof found === 'number') {
      if (found !== atMs) return
      this.#young.windows.delete(key)
      this.#old.windows.delete(key)
      return
    }
    const index = found.times.lastIndexOf(atMs)
    if (index >= found.first) found.times.splice(index, 1)
  }

  #find(key: string): Window | OneTime | undefined {
    return this.#young.windows.get(key) ?? this.#old.windows.get(key)
  }

  #windowOf(key: string): Window {
    const found = this.#find(key) ?? { times: [], first: 0 }
    return typeof found === 'number' ? { times: [found], first: 0 } : found
  }

  #dropOld(): void {
    this.#old = this.#young
    this.#young = newGeneration()
  }
}

/** Times up to `untilMs` leave. They are cut off once they are half of all: to move thousands for each call would cost more than the call. */
function leave(window: Window, untilMs: number): void {
  const { times } = window
  while ((times[window.first] ?? Number.POSITIVE_INFINITY) <= untilMs) window.first++
  if (window.first * 2 < times.length) return
  times.splice(0, window.first)
  window.first = 0
}
