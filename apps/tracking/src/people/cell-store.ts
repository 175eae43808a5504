import { longerBytes } from './columns.ts'

/** What cells hold, in bytes: a packed LINE id is 17, a name of six Chinese characters as JSON 20. */
const SIZES = [9, 17, 24, 34, 48, 65, 96, 128, 256, 640] as const
const LENGTH_BYTES = 2
const KINDS = SIZES.length + 1
/** Longer ones have an array each. */
const LARGE = SIZES.length
const GROWTH_BYTES = 262_144

type Slab = { readonly cell: number; bytes: Uint8Array; cells: number; readonly free: number[] }

const kindFor = (length: number): number => {
  let kind = 0
  while (kind < LARGE && (SIZES[kind] ?? 0) < length) kind++
  return kind
}

/**
 * Short byte strings, each in a cell of a large array: without the 40 to 60 bytes that an object or a string of its own
 * costs, and overwritten with zeros when it is freed. A string is found again by its reference, a whole number above 0.
 */
export class CellStore {
  readonly #slabs: Slab[] = SIZES.map((size) => ({
    ...{ cell: size + LENGTH_BYTES, bytes: new Uint8Array(0), cells: 0, free: [] },
  }))
  readonly #large: (Uint8Array | undefined)[] = []
  readonly #freeLarge: number[] = []

  /** Stores the first `length` bytes, and returns the reference. */
  put(given: Uint8Array, length = given.length): number {
    const kind = kindFor(length)
    const slab = this.#slabs[kind]
    if (!slab) {
      const index = this.#freeLarge.pop() ?? this.#large.length
      this.#large[index] = given.slice(0, length)
      return index * KINDS + LARGE + 1
    }
    const index = slab.free.pop() ?? slab.cells++
    const start = index * slab.cell
    if (start + slab.cell > slab.bytes.length)
      slab.bytes = longerBytes(slab.bytes, start + slab.cell + GROWTH_BYTES)
    const { bytes } = slab
    bytes[start] = length & 0xff
    bytes[start + 1] = length >> 8
    for (let at = 0; at < length; at++) bytes[start + LENGTH_BYTES + at] = given[at] ?? 0
    return index * KINDS + kind + 1
  }

  /** The bytes of a reference; valid until the next `put` or `free`. */
  read(reference: number): Uint8Array {
    const { slab, index } = this.#place(reference)
    if (!slab) return this.#large[index] ?? new Uint8Array(0)
    const start = index * slab.cell
    const length = (slab.bytes[start] ?? 0) | ((slab.bytes[start + 1] ?? 0) << 8)
    return slab.bytes.subarray(start + LENGTH_BYTES, start + LENGTH_BYTES + length)
  }

  /** Copies the bytes of a reference to a place of another array, and returns how many they are. */
  copyTo(reference: number, target: Uint8Array, offset: number): number {
    const { slab, index } = this.#place(reference)
    if (!slab) {
      const large = this.#large[index]
      if (large) target.set(large, offset)
      return large?.length ?? 0
    }
    const { bytes } = slab
    const start = index * slab.cell
    const length = (bytes[start] ?? 0) | ((bytes[start + 1] ?? 0) << 8)
    for (let at = 0; at < length; at++) target[offset + at] = bytes[start + LENGTH_BYTES + at] ?? 0
    return length
  }

  /** How many bytes a reference has. */
  lengthOf(reference: number): number {
    return this.read(reference).length
  }

  /** Whether a reference holds just the first `length` bytes. */
  holds(reference: number, given: Uint8Array, length = given.length): boolean {
    const { slab, index } = this.#place(reference)
    const bytes = slab ? slab.bytes : this.#large[index]
    if (!bytes) return false
    const start = slab ? index * slab.cell : 0
    const stored = slab ? (bytes[start] ?? 0) | ((bytes[start + 1] ?? 0) << 8) : bytes.length
    if (stored !== length) return false
    const from = slab ? start + LENGTH_BYTES : 0
    for (let at = 0; at < length; at++) if (bytes[from + at] !== given[at]) return false
    return true
  }

  /** Overwrites the bytes of a reference with zeros, and gives their cell to a later `put`. */
  free(reference: number): void {
    const { slab, index } = this.#place(reference)
    if (slab) {
      slab.bytes.fill(0, index * slab.cell, (index + 1) * slab.cell)
      slab.free.push(index)
      return
    }
    this.#large[index]?.fill(0)
    this.#large[index] = undefined
    this.#freeLarge.push(index)
  }

  /** All bytes that are reserved, for tests: what was freed is found nowhere in them. */
  reserved(): Uint8Array[] {
    return [...this.#slabs.map(({ bytes }) => bytes), ...this.#large.filter((bytes) => bytes !== undefined)]
  }

  #place(reference: number): { slab: Slab | undefined; index: number } {
    const kind = (reference - 1) % KINDS
    return { slab: this.#slabs[kind], index: (reference - 1 - kind) / KINDS }
  }
}
