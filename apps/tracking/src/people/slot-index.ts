import { lengthFor, longerWords } from './columns.ts'

const SIZE_MIN = 1_024
const NONE = -1
const PRIME = 0x01000193

/**
 * A hash table from byte strings to slots, which keeps no string: `holds` says whether a slot has one. Open addressing
 * with linear probing and at most three quarters full; what is removed leaves no tombstone, since those behind it move up.
 */
export class SlotIndex {
  readonly #holds: (slot: number, bytes: Uint8Array, length: number) => boolean
  /** Secret of this process: ids that collide cannot be chosen from outside. */
  readonly #seed = crypto.getRandomValues(new Uint32Array(1))[0] ?? 0
  /** Slots plus 1; 0 is empty. A slot's place follows from its key, a hash of its bytes. */
  #table = new Uint32Array(SIZE_MIN)
  #keys = new Uint32Array(0)
  #count = 0

  constructor(holds: (slot: number, bytes: Uint8Array, length: number) => boolean) {
    this.#holds = holds
  }

  /** The slot that holds these bytes; -1 for none. */
  find(bytes: Uint8Array, length: number): number {
    const key = this.#keyOf(bytes, length)
    const mask = this.#table.length - 1
    for (let at = key & mask; ; at = (at + 1) & mask) {
      const slot = (this.#table[at] ?? 0) - 1
      if (slot === NONE) return NONE
      if (this.#keys[slot] === key && this.#holds(slot, bytes, length)) return slot
    }
  }

  /** Adds a slot that holds these bytes; none has them yet. */
  add(slot: number, bytes: Uint8Array, length: number): void {
    if (++this.#count * 4 > this.#table.length * 3) this.#grow()
    if (slot >= this.#keys.length) this.#keys = longerWords(this.#keys, lengthFor(slot))
    this.#keys[slot] = this.#keyOf(bytes, length)
    this.#insert(slot)
  }

  /** Removes a slot that holds these bytes. */
  remove(slot: number, bytes: Uint8Array): void {
    const table = this.#table
    const mask = table.length - 1
    let hole = this.#keyOf(bytes, bytes.length) & mask
    while (table[hole] !== slot + 1) {
      if (table[hole] === 0) return
      hole = (hole + 1) & mask
    }
    // Those behind it move up, unless they would come before their own place.
    for (let at = (hole + 1) & mask; table[at] !== 0; at = (at + 1) & mask) {
      const wanted = (this.#keys[(table[at] ?? 1) - 1] ?? 0) & mask
      if (((at - wanted) & mask) < ((at - hole) & mask)) continue
      table[hole] = table[at] ?? 0
      hole = at
    }
    table[hole] = 0
    this.#keys[slot] = 0
    this.#count--
  }

  #insert(slot: number): void {
    const table = this.#table
    const mask = table.length - 1
    let at = (this.#keys[slot] ?? 0) & mask
    while (table[at] !== 0) at = (at + 1) & mask
    table[at] = slot + 1
  }

  #grow(): void {
    const before = this.#table
    this.#table = new Uint32Array(before.length * 2)
    for (const entry of before) if (entry !== 0) this.#insert(entry - 1)
  }

  #keyOf(bytes: Uint8Array, length: number): number {
    let hash = this.#seed
    for (let at = 0; at < length; at++) {
      hash = Math.imul(hash ^ (bytes[at] ?? 0), PRIME)
      hash ^= hash >>> 15
    }
    hash = Math.imul(hash ^ (hash >>> 13), 0x85ebca6b)
    return (hash ^ (hash >>> 16)) >>> 0
  }
}
