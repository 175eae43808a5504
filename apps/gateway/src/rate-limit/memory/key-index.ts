/** The hashes of the keys of entries, by the entry's number and this mask. They change as the ring of entries grows. */
export type Keys = { hi: Uint32Array; lo: Uint32Array; mask: number }

const SLOTS_MIN = 16
/** A slot holds the low bits of an entry's number, and 1; 0 is free. */
const LOW_BITS = 2 ** 31 - 1
const SPARSE = 1 / 8

/**
 * Finds a key's latest entry: open addressing over entries, whose keys are compared where they are. It is at most half
 * full, so a look is one or two steps.
 */
export class KeyIndex {
  readonly #keys: Keys
  #slots = new Int32Array(SLOTS_MIN)
  #mask = SLOTS_MIN - 1
  #size = 0

  constructor(keys: Keys) {
    this.#keys = keys
  }

  /** Where the key is, or would be. */
  slotOf(hi: number, lo: number): number {
    const keys = this.#keys
    for (let slot = lo & this.#mask; ; slot = (slot + 1) & this.#mask) {
      const place = this.placeAt(slot)
      if (place < 0 || (keys.lo[place] === lo && keys.hi[place] === hi)) return slot
    }
  }

  /** The place of the latest entry, or -1. */
  placeAt(slot: number): number {
    const held = this.#slots[slot] ?? 0
    return held === 0 ? -1 : (held - 1) & this.#keys.mask
  }

  /** A new key may move the others: their slots are not what they were. */
  set(slot: number, entry: number): void {
    const isNew = this.#slots[slot] === 0
    this.#slots[slot] = (entry & LOW_BITS) + 1
    if (isNew && ++this.#size * 2 > this.#slots.length) this.#resize(this.#slots.length * 2)
  }

  /** Those after it that it kept from their own slot move up, so that a look never passes a free slot. */
  remove(slot: number): void {
    let hole = slot
    for (let at = (hole + 1) & this.#mask; this.#slots[at] !== 0; at = (at + 1) & this.#mask) {
      const home = this.#homeOf(at)
      if (((at - home) & this.#mask) < ((at - hole) & this.#mask)) continue
      this.#slots[hole] = this.#slots[at] ?? 0
      hole = at
    }
    this.#slots[hole] = 0
    this.#size--
  }

  /** Gives back memory that is not used. */
  shrink(): void {
    const { length } = this.#slots
    if (length > SLOTS_MIN && this.#size < length * SPARSE) this.#resize(length / 2)
  }

  #homeOf(slot: number): number {
    return (this.#keys.lo[this.placeAt(slot)] ?? 0) & this.#mask
  }

  #resize(length: number): void {
    const held = this.#slots
    const lows = this.#keys.lo
    this.#slots = new Int32Array(length)
    this.#mask = length - 1
    for (const one of held) {
      if (one === 0) continue
      let slot = (lows[(one - 1) & this.#keys.mask] ?? 0) & this.#mask
      while (this.#slots[slot] !== 0) slot = (slot + 1) & this.#mask
      this.#slots[slot] = one
    }
  }
}
