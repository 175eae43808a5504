import { EntryRing } from './entry-ring.ts'
import type { KeyHash } from './key-hash.ts'

const CAPACITY_MIN = 1_024
/** What a call passes of the entries that left their windows: more than it adds, and never a burst of them. */
const PASSED_PER_CALL = 16
/** What is passed at once without a call: a millisecond. */
const PASSED_MAX = 10_000
/** A ring that holds less than this share of what it could is made smaller. */
const SPARSE = 1 / 8

/** `entry`: its number, or -1 where none was added. */
export type TableCount = { allowed: boolean; used: number; freeInMs: number; entry: number }

export type TableOptions = {
  limit: number
  windowMs: number
  take: boolean
  nowMs: number
  /** Entries before this time do not count. */
  fromMs?: number
}

/**
 * Exact sliding windows of up to `keepMs` in memory, for any number of keys: 36 to 72 bytes an entry, and a call costs the same
 * whatever the limit. Entries leave by their time alone; what finds no room is admitted without one, and `lostMs` says when that was last.
 * Times are of a monotonic clock, passed in.
 */
export class WindowTable {
  readonly #keepMs: number
  readonly #entriesMax: number
  readonly #ring = new EntryRing(CAPACITY_MIN)
  #lostMs = Number.NEGATIVE_INFINITY

  /** `entriesMax`: a power of two. */
  constructor({ keepMs, entriesMax }: { keepMs: number; entriesMax: number }) {
    this.#keepMs = keepMs
    this.#entriesMax = entriesMax
  }

  /** Entries, some of which may have left their windows. */
  get size(): number {
    return this.#ring.size
  }

  get lostMs(): number {
    return this.#lostMs
  }

  /** Counts a call if the limit allows it; `take: false` only looks. A refused call leaves no trace. */
  count({ hi, lo }: KeyHash, { limit, windowMs, take, nowMs, fromMs }: TableOptions): TableCount {
    this.#ring.pass(nowMs - this.#keepMs, PASSED_PER_CALL)
    const latest = this.#leave(hi, lo, nowMs - this.#keepMs)
    let used = latest < 0 ? 0 : this.#ring.countAt(latest)
    let oldest = latest < 0 ? -1 : this.#ring.newerThan(latest)
    if (windowMs < this.#keepMs || fromMs !== undefined)
      while (used > 0 && !isIn(this.#ring.atMs(oldest), nowMs - windowMs, fromMs)) {
        used--
        oldest = this.#ring.newerThan(oldest)
      }
    const allowed = used < limit
    // Before the ring may grow, which moves all places.
    const freeInMs = used === 0 ? windowMs : this.#ring.atMs(oldest) + windowMs - nowMs
    const entry = allowed && take ? this.#push(hi, lo, nowMs) : -1
    return { allowed, used: allowed && take ? used + 1 : used, freeInMs, entry }
  }

  /** Adds what was admitted elsewhere. */
  add({ hi, lo }: KeyHash, atMs: number): void {
    this.#push(hi, lo, atMs)
  }

  /** Takes back an entry that `count` added. */
  giveBack(entry: number): void {
    const place = this.#ring.placeOf(entry)
    if (place >= 0) this.#ring.remove(place)
  }

  /** A call was let through later than it was counted: it leaves its window so much later. */
  restamp(entry: number, nowMs: number): void {
    const place = this.#ring.placeOf(entry)
    if (place >= 0) this.#ring.restamp(place, nowMs)
  }

  /** Lets go of what has left its window, and of memory that is not used; to be called at times. */
  shrink(nowMs: number): void {
    this.#ring.pass(nowMs - this.#keepMs, PASSED_MAX)
    const { size, capacity } = this.#ring
    if (capacity > CAPACITY_MIN && size < capacity * SPARSE) this.#ring.resize(capacity / 2)
    this.#ring.shrinkIndex()
  }

  /** The latest entry of a key, without those that have left. */
  #leave(hi: number, lo: number, untilMs: number): number {
    for (;;) {
      const latest = this.#ring.latestOf(hi, lo)
      if (latest < 0) return latest
      const oldest = this.#ring.newerThan(latest)
      if (this.#ring.atMs(oldest) > untilMs) return latest
      this.#ring.remove(oldest)
    }
  }

  #push(hi: number, lo: number, nowMs: number): number {
    const { size, capacity } = this.#ring
    if (size === capacity && capacity < this.#entriesMax) this.#ring.resize(capacity * 2)
    else if (size === capacity) {
      this.#lostMs = nowMs
      return -1
    }
    return this.#ring.push(hi, lo, nowMs)
  }
}

const isIn = (atMs: number, afterMs: number, fromMs = Number.NEGATIVE_INFINITY): boolean =>
  atMs > afterMs && atMs >= fromMs
