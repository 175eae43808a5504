import QuickLRU from 'quick-lru'

/** What an address has used of one window. */
type Usage = { amount: number; endsAtMs: number }

/** At least so many addresses are kept, and at most twice as many; the least recently used are dropped. */
const KEYS_MAX = 20_000

/** Fixed windows in this process, for while Redis is away. Times are of a monotonic clock. */
export class LocalQuota {
  readonly #usage = new QuickLRU<string, Usage>({ maxSize: KEYS_MAX })

  /** Milliseconds until a key is below its limit again; 0 when it is now. */
  exhaustedForMs(key: string, max: number, nowMs: number): number {
    const usage = this.#usage.get(key)
    return usage && usage.endsAtMs > nowMs && usage.amount >= max ? usage.endsAtMs - nowMs : 0
  }

  /** Adds to a window (a negative amount is a refund), which begins with its first addition. */
  add(key: string, { amount, windowMs, nowMs }: { amount: number; windowMs: number; nowMs: number }): void {
    const usage = this.#usage.get(key)
    if (usage && usage.endsAtMs > nowMs) {
      usage.amount = Math.max(0, usage.amount + amount)
      return
    }
    this.#usage.delete(key)
    if (amount <= 0) return
    this.#usage.set(key, { amount, endsAtMs: nowMs + windowMs })
  }
}
