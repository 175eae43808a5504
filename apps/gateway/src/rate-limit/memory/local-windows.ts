import type { KeyHash } from './key-hash.ts'
import { WindowTable } from './window-table.ts'

/** What a window says of one more call. `freeInMs`: until its oldest entry leaves. */
export type Count = { allowed: boolean; used: number; freeInMs: number }

/**
 * `used` includes `spent`: what a gateway that counted alone admitted and the shared windows do not have. `entry` is in `table`,
 * or -1 where none was added.
 */
export type LocalCount = Count & { spent: number; table: WindowTable; entry: number }

/** Windows of up to a minute are those that a gateway may count alone: nearly all calls are counted by no other. */
export const SHORT_MS = 60_000
/** 75 MB, and 30,000 calls a second: more than a gateway answers. */
const SHORT_ENTRIES_MAX = 2 ** 21
/** For each length beyond, 5 MB: they only spare questions to Redis, and stand in for it. */
const LONG_ENTRIES_MAX = 2 ** 17

/** What a gateway admitted while it counted alone, from a time on; all of it has left its windows at another. */
type Era = { table: WindowTable; fromMs: number; overMs: number }

/**
 * What this process admitted, in exact sliding windows. Always counted: what this process alone admitted is enough to refuse, is all
 * there is while Redis is away, and all that counts while this gateway counts alone. Beside it, for a minute, what a gateway
 * that counted alone until then had admitted.
 */
export class LocalWindows {
  readonly #entriesMax: number
  #short: WindowTable
  readonly #longer = new Map<number, WindowTable>()
  #era: Era | undefined
  #aloneFromMs = Number.NEGATIVE_INFINITY

  /** `entriesMax`: of short windows, a power of two. */
  constructor({ entriesMax = SHORT_ENTRIES_MAX }: { entriesMax?: number } = {}) {
    this.#entriesMax = entriesMax
    this.#short = this.#shortTable()
  }

  /** Entries. */
  get size(): number {
    let size = this.#short.size + (this.#era?.table.size ?? 0)
    for (const table of this.#longer.values()) size += table.size
    return size
  }

  /** When an admitted call of a short window was last not added, for want of room. */
  get lostMs(): number {
    return this.#short.lostMs
  }

  /** Counts a call if the limit allows it; `take: false` only looks. A refused call leaves no trace. */
  count(
    key: KeyHash,
    { limit, windowMs, take, nowMs }: { limit: number; windowMs: number; take: boolean; nowMs: number },
  ): LocalCount {
    const table = this.#tableOf(windowMs)
    const era = windowMs > SHORT_MS ? undefined : this.#eraAt(nowMs)
    const before = era?.table.count(key, { limit, windowMs, take: false, nowMs, fromMs: era.fromMs })
    const spent = before?.used ?? 0
    const own = table.count(key, { limit: limit - spent, windowMs, take, nowMs })
    return {
      allowed: own.allowed,
      used: own.used + spent,
      freeInMs: before && spent > 0 ? Math.min(before.freeInMs, own.freeInMs) : own.freeInMs,
      spent,
      table,
      entry: own.entry,
    }
  }

  /** This gateway counts alone from now on. */
  beginEra(nowMs: number): void {
    this.#aloneFromMs = nowMs
  }

  /** It no longer does. The shared windows do not have what it admitted, but what came before. */
  endEra(nowMs: number): void {
    this.#era = { table: this.#short, fromMs: this.#aloneFromMs, overMs: nowMs + SHORT_MS }
    this.#short = this.#shortTable()
  }

  /** Another gateway counted alone until now, and admitted this. */
  learnEra(admitted: Iterable<{ key: KeyHash; atMs: number }>, nowMs: number): void {
    const table = this.#shortTable()
    for (const { key, atMs } of admitted) table.add(key, atMs)
    this.#era = { table, fromMs: Number.NEGATIVE_INFINITY, overMs: nowMs + SHORT_MS }
  }

  /** Lets go of what has left its window; to be called at times. */
  shrink(nowMs: number): void {
    this.#eraAt(nowMs)
    this.#short.shrink(nowMs)
    for (const table of this.#longer.values()) table.shrink(nowMs)
  }

  #shortTable(): WindowTable {
    return new WindowTable({ keepMs: SHORT_MS, entriesMax: this.#entriesMax })
  }

  #eraAt(nowMs: number): Era | undefined {
    if (this.#era && nowMs >= this.#era.overMs) this.#era = undefined
    return this.#era
  }

  #tableOf(windowMs: number): WindowTable {
    if (windowMs <= SHORT_MS) return this.#short
    const known = this.#longer.get(windowMs)
    if (known) return known
    const table = new WindowTable({ keepMs: windowMs, entriesMax: LONG_ENTRIES_MAX })
    this.#longer.set(windowMs, table)
    return table
  }
}
