import { RecentMap } from '@palanquin/service/recent-map'

/** What an address has used up of one window. */
type Used = { amount: number; endsAtMs: number }

/** Addresses remembered at most; the longest known ones are forgotten for new ones. */
const KEYS_MAX = 40_000

/** Fixed windows in this process's memory, for while Redis is away. Times are of a clock that never jumps. */
export class OwnQuota {
  readonly #used = new RecentMap<Used>(KEYS_MAX)

  /** Milliseconds until there is room under a key again; 0 when there is room now. */
  fullForMs(key: string, max: number, nowMs: number): number {
    const used = this.#used.get(key)
    return used && used.endsAtMs > nowMs && used.amount >= max ? used.endsAtMs - nowMs : 0
  }

  /** Adds to a window (a negative amount gives back), which begins with its first addition. */
  add(key: string, { amount, windowMs, nowMs }: { amount: number; windowMs: number; nowMs: number }): void {
    const used = this.#used.get(key)
    if (used && used.endsAtMs > nowMs) {
      used.amount = Math.max(0, used.amount + amount)
      return
    }
    this.#used.delete(key)
    if (amount <= 0) return
    this.#used.set(key, { amount, endsAtMs: nowMs + windowMs })
  }
}
