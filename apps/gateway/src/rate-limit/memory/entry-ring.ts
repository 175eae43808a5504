import { KeyIndex } from './key-index.ts'

/** Keys are divided by their first bits, so that no call waits for all of them to move as the index grows. */
const INDEXES_BITS = 7
/** Instead of a count: the entry left its key before the ring has passed it. */
const GONE = -1

/**
 * Entries in the order in which they came, in a ring of typed arrays; those of a key are linked in a circle, from its oldest to its latest
 * and back. An entry is known by its number, which is never used again; its place is the low bits of the number, and links are
 * numbers of 32 bits, so that they hold in a ring of any capacity.
 */
export class EntryRing {
  readonly #keys: { hi: Uint32Array; lo: Uint32Array; mask: number }
  readonly #indexes: readonly KeyIndex[]
  #atMs: Float64Array
  #older: Int32Array
  #newer: Int32Array
  /** How many entries a key has; right at its latest one alone. */
  #counts: Int32Array
  /** The number of the first entry, and that of the next one to come. */
  #first = 0
  #next = 0

  /** `capacity`: a power of two. */
  constructor(capacity: number) {
    this.#keys = { hi: new Uint32Array(capacity), lo: new Uint32Array(capacity), mask: capacity - 1 }
    this.#indexes = Array.from({ length: 2 ** INDEXES_BITS }, () => new KeyIndex(this.#keys))
    this.#atMs = new Float64Array(capacity)
    this.#older = new Int32Array(capacity)
    this.#newer = new Int32Array(capacity)
    this.#counts = new Int32Array(capacity)
  }

  get size(): number {
    return this.#next - this.#first
  }

  get capacity(): number {
    return this.#keys.mask + 1
  }

  /** The place of a key's latest entry, or -1. */
  latestOf(hi: number, lo: number): number {
    const index = this.#indexOf(hi)
    return index.placeAt(index.slotOf(hi, lo))
  }

  /** So many entries its key has; `place` is that of its latest. */
  countAt(place: number): number {
    return this.#counts[place] ?? 0
  }

  /** The place of the same key's entry after this one; after the latest comes the oldest. */
  newerThan(place: number): number {
    return (this.#newer[place] ?? 0) & this.#keys.mask
  }

  atMs(place: number): number {
    return this.#atMs[place] ?? 0
  }

  /** The number of a new entry; there must be room. */
  push(hi: number, lo: number, atMs: number): number {
    const entry = this.#next++
    const place = entry & this.#keys.mask
    const index = this.#indexOf(hi)
    const slot = index.slotOf(hi, lo)
    const latest = index.placeAt(slot)
    const oldest = latest < 0 ? place : this.newerThan(latest)
    this.#keys.hi[place] = hi
    this.#keys.lo[place] = lo
    this.#atMs[place] = atMs
    this.#counts[place] = latest < 0 ? 1 : this.countAt(latest) + 1
    this.#link(latest < 0 ? place : latest, place)
    this.#link(place, oldest)
    index.set(slot, entry)
    return entry
  }

  /** The place of an entry, or -1 where it has left. */
  placeOf(entry: number): number {
    if (entry < this.#first || entry >= this.#next) return -1
    const place = entry & this.#keys.mask
    return this.#counts[place] === GONE ? -1 : place
  }

  restamp(place: number, atMs: number): void {
    this.#atMs[place] = atMs
  }

  /** Takes an entry out of its key. */
  remove(place: number): void {
    const hi = this.#keys.hi[place] ?? 0
    const index = this.#indexOf(hi)
    const slot = index.slotOf(hi, this.#keys.lo[place] ?? 0)
    const latest = index.placeAt(slot)
    const count = this.countAt(latest)
    if (count === 1) index.remove(slot)
    else {
      const older = (this.#older[place] ?? 0) & this.#keys.mask
      const nowLatest = place === latest ? older : latest
      this.#link(older, this.newerThan(place))
      this.#counts[nowLatest] = count - 1
      index.set(slot, this.#numberAt(nowLatest))
    }
    this.#counts[place] = GONE
  }

  /** Passes at most so many entries up to this time. */
  pass(untilMs: number, entriesMax: number): void {
    for (let left = entriesMax; left > 0 && this.size > 0; left--) {
      const place = this.#first & this.#keys.mask
      if (this.#counts[place] !== GONE) {
        if (this.atMs(place) > untilMs) return
        this.remove(place)
      }
      this.#first++
    }
  }

  /** To another power of two, for as many entries as there are at least. */
  resize(capacity: number): void {
    const to = (array: Uint32Array) => this.#copy(array, new Uint32Array(capacity))
    const toSigned = (array: Int32Array) => this.#copy(array, new Int32Array(capacity))
    const hi = to(this.#keys.hi)
    const lo = to(this.#keys.lo)
    this.#atMs = this.#copy(this.#atMs, new Float64Array(capacity))
    this.#older = toSigned(this.#older)
    this.#newer = toSigned(this.#newer)
    this.#counts = toSigned(this.#counts)
    Object.assign(this.#keys, { hi, lo, mask: capacity - 1 })
  }

  /** Gives back memory of the index that is not used. */
  shrinkIndex(): void {
    for (const index of this.#indexes) index.shrink()
  }

  #indexOf(hi: number): KeyIndex {
    const index = this.#indexes[hi >>> (32 - INDEXES_BITS)]
    if (!index) throw new RangeError('a hash has 32 bits')
    return index
  }

  #numberAt(place: number): number {
    return this.#first + ((place - this.#first) & this.#keys.mask)
  }

  #link(older: number, newer: number): void {
    this.#newer[older] = this.#numberAt(newer)
    this.#older[newer] = this.#numberAt(older)
  }

  /** In as few pieces as the ends of both rings allow. */
  #copy<T extends Uint32Array | Int32Array | Float64Array>(from: T, to: T): T {
    for (let entry = this.#first; entry < this.#next; ) {
      const start = entry & (from.length - 1)
      const at = entry & (to.length - 1)
      const length = Math.min(from.length - start, to.length - at, this.#next - entry)
      to.set(from.subarray(start, start + length), at)
      entry += length
    }
    return to
  }
}
