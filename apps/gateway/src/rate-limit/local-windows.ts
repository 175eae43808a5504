/** What a window says of one more call. `freeInMs`: until its oldest entry leaves. */
export type Count = { allowed: boolean; used: number; freeInMs: number }

/** Keys kept at most; the least recently counted are dropped for new ones. Some 200 bytes each. */
const KEYS_MAX = 200_000

/** Windows that were counted in one span of time, and when the last of them is empty. */
type Generation = { windows: Map<string, number[]>; emptyAtMs: number }
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
    if (nowMs >= this.#old.emptyAtMs) this.#dropOld()
    const times = this.#find(key) ?? []
    const past = times.findIndex((time) => time > nowMs - windowMs)
    if (past !== 0 && times.length > 0) times.splice(0, past === -1 ? times.length : past)
    const allowed = times.length < limit
    if (allowed && take) {
      times.push(nowMs)
      if (this.#young.windows.size >= this.#generationMax) this.#dropOld()
      this.#young.windows.set(key, times)
      this.#young.emptyAtMs = Math.max(this.#young.emptyAtMs, nowMs + windowMs)
    }
    const oldest = times[0] ?? nowMs
    return { allowed, used: times.length, freeInMs: oldest + windowMs - nowMs }
  }

  /** Takes back a call that `count` admitted at `atMs`. */
  giveBack(key: string, atMs: number): void {
    const times = this.#find(key)
    const index = times?.lastIndexOf(atMs) ?? -1
    if (index >= 0) times?.splice(index, 1)
  }

  #find(key: string): number[] | undefined {
    return this.#young.windows.get(key) ?? this.#old.windows.get(key)
  }

  #dropOld(): void {
    this.#old = this.#young
    this.#young = newGeneration()
  }
}
