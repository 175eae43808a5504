import { lengthFor, longerFloats, longerWords } from '../../people/columns.ts'
import type { EntryNumber } from './cursor.ts'
import type { PositionColumns } from './position-columns.ts'

/** The log is compacted once it has half as many movements more than positions, and this many more. */
const SLACK = 1_024
const OUTDATED_SHARE = 0.5
const STEP = 4_096

/**
 * The movements of one shard in the order of their entries; only the latest of each participant counts. Nearly all are
 * appended; those out of order (read from PostgreSQL) are sorted in at the next read. 16 bytes each.
 */
export class MovementLog {
  readonly #columns: PositionColumns
  #ms = new Float64Array(0)
  #sequence = new Uint32Array(0)
  #slots = new Uint32Array(0)
  #length = 0
  #positions = 0
  #sorted = true

  constructor(columns: PositionColumns) {
    this.#columns = columns
  }

  /** Logged movements, outdated ones included. */
  size(): number {
    return this.#length
  }

  /** Logs the latest movement of a slot; `isNew` when the participant was not in this log before. */
  add(slot: number, isNew: boolean): void {
    const at = this.#length++
    if (at >= this.#ms.length) this.#resize(lengthFor(at, STEP))
    const ms = this.#columns.movedMs[slot] ?? 0
    const sequence = this.#columns.movedSequence[slot] ?? 0
    if (at > 0 && this.#isAfter(at - 1, ms, sequence)) this.#sorted = false
    this.#ms[at] = ms
    this.#sequence[at] = sequence
    this.#slots[at] = slot
    if (isNew) this.#positions++
    this.#compact() // here too: hours may pass without a read
  }

  remove(slot: number): void {
    this.#keep((at) => this.#slots[at] !== slot)
    this.#positions--
  }

  /** How many movements after an entry are logged, outdated ones included: an upper bound of what `since` gives. */
  countSince(entry: EntryNumber): number {
    this.#tidy()
    return this.#length - this.#firstAfter(entry)
  }

  /** The slots that moved after an entry, in the order of their movements. */
  *since(entry: EntryNumber): Generator<number> {
    this.#tidy()
    // What is logged meanwhile is beyond this length, or in other columns.
    const [ms, sequence, slots, length] = [this.#ms, this.#sequence, this.#slots, this.#length]
    const { movedMs, movedSequence } = this.#columns
    for (let at = this.#firstAfter(entry); at < length; at++) {
      const slot = slots[at] ?? 0
      if (movedMs[slot] === ms[at] && movedSequence[slot] === sequence[at]) yield slot
    }
  }

  #isLatest(at: number): boolean {
    const slot = this.#slots[at] ?? 0
    const { movedMs, movedSequence } = this.#columns
    return movedMs[slot] === this.#ms[at] && movedSequence[slot] === this.#sequence[at]
  }

  #isAfter(at: number, ms: number, sequence: number): boolean {
    const own = this.#ms[at] ?? 0
    return own > ms || (own === ms && (this.#sequence[at] ?? 0) > sequence)
  }

  #compact(): void {
    if (this.#length > (1 + OUTDATED_SHARE) * this.#positions + SLACK) this.#keep((at) => this.#isLatest(at))
  }

  #tidy(): void {
    this.#compact()
    if (this.#sorted) return
    const [ms, sequence] = [this.#ms, this.#sequence]
    const order = Uint32Array.from({ length: this.#length }, (_, at) => at).sort(
      (a, b) => (ms[a] ?? 0) - (ms[b] ?? 0) || (sequence[a] ?? 0) - (sequence[b] ?? 0),
    )
    this.#take(order)
    this.#sorted = true
  }

  #keep(isKept: (at: number) => boolean): void {
    const kept = new Uint32Array(this.#length)
    let count = 0
    for (let at = 0; at < this.#length; at++) if (isKept(at)) kept[count++] = at
    this.#take(kept.subarray(0, count))
  }

  /** Keeps these movements, in this order, in new columns: what was there before is in no memory that is used. */
  #take(order: Uint32Array): void {
    const [ms, sequence, slots] = [this.#ms, this.#sequence, this.#slots]
    this.#ms = new Float64Array(order.length + STEP)
    this.#sequence = new Uint32Array(order.length + STEP)
    this.#slots = new Uint32Array(order.length + STEP)
    for (const [to, from] of order.entries()) {
      this.#ms[to] = ms[from] ?? 0
      this.#sequence[to] = sequence[from] ?? 0
      this.#slots[to] = slots[from] ?? 0
    }
    this.#length = order.length
  }

  #resize(length: number): void {
    this.#ms = longerFloats(this.#ms, length)
    this.#sequence = longerWords(this.#sequence, length)
    this.#slots = longerWords(this.#slots, length)
  }

  /** The index of the first movement after an entry. */
  #firstAfter([ms, sequence]: EntryNumber): number {
    let low = 0
    let high = this.#length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.#isAfter(middle, ms, sequence)) high = middle
      else low = middle + 1
    }
    return low
  }
}
