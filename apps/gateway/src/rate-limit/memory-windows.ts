import QuickLRU from 'quick-lru'
import { type Claim, type CountRequest, type CountResult, slotMsOf } from './counts.ts'

/** At least the latest 200,000 keys are kept, and at most twice as many: 100 MB while made-up ids come. */
const KEYS_SIZE = 200_000

type Entry = { atMs: number; amount: number }
/** Oldest first. */
type Window = readonly Entry[]

/** The windows of the Redis script in this process's memory, for when Redis is away. */
export class MemoryWindows {
  readonly #windows: QuickLRU<string, Window>

  constructor({ keysSize = KEYS_SIZE } = {}) {
    this.#windows = new QuickLRU({ maxSize: keysSize })
  }

  get size(): number {
    return this.#windows.size
  }

  clear(): void {
    this.#windows.clear()
  }

  /** `nowMs`: of a monotonic clock. */
  count({ claims, takenAtMs }: CountRequest, nowMs: number): CountResult {
    const windows = claims.map(({ key, windowMs }) => currentOf(this.#windows.get(key), windowMs, nowMs))
    const isFull = ({ amount, limit }: Claim, at: number) => usedOf(windows[at]) + amount > limit
    const refused = takenAtMs === undefined ? claims.findIndex(isFull) : -1
    const counts = claims.map((claim, at) => {
      const before = windows[at] ?? []
      const window = refused < 0 ? changed(before, claim, { takenAtMs, nowMs }) : before
      if (window !== before) this.#windows.set(claim.key, window)
      const oldestMs = window[0]?.atMs ?? nowMs
      const freeInMs = Math.min(claim.windowMs, oldestMs + claim.windowMs + 1 - nowMs)
      return { used: usedOf(window), freeInMs }
    })
    return { refused, counts, atMs: nowMs }
  }
}

const usedOf = (window: Window = []): number => window.reduce((sum, { amount }) => sum + amount, 0)

const currentOf = (window: Window = [], windowMs: number, nowMs: number): Window =>
  window.filter(({ atMs }) => nowMs - atMs <= windowMs)

function changed(
  window: Window,
  claim: Claim,
  { takenAtMs, nowMs }: { takenAtMs: number | undefined; nowMs: number },
): Window {
  const { amount } = claim
  if (amount === 0) return window
  const slotMs = slotMsOf(claim)
  const isSameSlot = (one: number, other: number) => Math.floor(one / slotMs) === Math.floor(other / slotMs)
  if (takenAtMs !== undefined) {
    const given = window.findIndex(({ atMs }) => isSameSlot(atMs, takenAtMs))
    return window
      .map((entry, at) => (at === given ? { atMs: entry.atMs, amount: entry.amount - amount } : entry))
      .filter((entry) => entry.amount > 0)
  }
  const last = window.at(-1)
  if (!last || !isSameSlot(last.atMs, nowMs)) return [...window, { atMs: nowMs, amount }]
  return window.with(-1, { atMs: nowMs, amount: last.amount + amount })
}
