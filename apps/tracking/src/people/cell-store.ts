import { lengthFor, longerBytes } from './columns.ts'

/** What cells hold, in bytes: a packed LINE id is 17, a name of six Chinese characters as JSON 20. */
const SIZES = [9, 17, 24, 34, 48, 65, 96, 128, 256, 640] as const
const LENGTH_BYTES = 2
const KINDS = SIZES.length + 1
/** Longer ones have an array each. */
const LARGE = SIZES.length
const GROWTH_BYTES = 262_144

type Slab = { readonly cell: number; bytes: Uint8Array; cells: number; readonly free: number[] }

const NOTHING = new Uint8Array(0)

const kindOf = (reference: number): number => (reference - 1) % KINDS
const indexOf = (reference: number): number => ((reference - 1) / KINDS) >>> 0
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
    cell: size + LENGTH_BYTES,
    bytes: new Uint8Array(0),
    cells: 0,
    free: [],
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
      slab.bytes = longerBytes(slab.bytes, lengthFor(start + slab.cell, GROWTH_BYTES))
    const { bytes } = slab
    bytes[start] = length & 0xff
    bytes[start + 1] = length >> 8
    for (let at = 0; at < length; at++) bytes[start + LENGTH_BYTES + at] = given[at] ?? 0
    return index * KINDS + kind + 1
  }

  /** The bytes of a reference; valid until the next `put` or `free`. */
  read(reference: number): Uint8Array {
    const start = this.#startOf(reference)
    return this.#arrayOf(reference).subarray(start, start + this.lengthOf(reference))
  }

  /** Copies the bytes of a reference to a place of another array, and returns how many they are. */
  copyTo(reference: number, target: Uint8Array, offset: number): number {
    const bytes = this.#arrayOf(reference)
    const start = this.#startOf(reference)
    const length = this.lengthOf(reference)
    for (let at = 0; at < length; at++) target[offset + at] = bytes[start + at] ?? 0
    return length
  }

  /** How many bytes a reference has. */
  lengthOf(reference: number): number {
    const bytes = this.#arrayOf(reference)
    const start = this.#startOf(reference)
    return start === 0 ? bytes.length : (bytes[start - 2] ?? 0) | ((bytes[start - 1] ?? 0) << 8)
  }

  /** Whether a reference holds just the first `length` bytes. */
  holds(reference: number, given: Uint8Array, length = given.length): boolean {
    if (this.lengthOf(reference) !== length) return false
    const bytes = this.#arrayOf(reference)
    const start = this.#startOf(reference)
    for (let at = 0; at < length; at++) if (bytes[start + at] !== given[at]) return false
    return true
  }

  /** Overwrites the bytes of a reference with zeros, and gives their cell to a later `put`. */
  free(reference: number): void {
    const slab = this.#slabs[kindOf(reference)]
    const index = indexOf(reference)
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

  #arrayOf(reference: number): Uint8Array {
    return this.#slabs[kindOf(reference)]?.bytes ?? this.#large[indexOf(reference)] ?? NOTHING
  }

  /** Where the bytes begin: behind their length in a cell, and 0 in an array of their own. */
  #startOf(reference: number): number {
    const slab = this.#slabs[kindOf(reference)]
    return slab ? indexOf(reference) * slab.cell + LENGTH_BYTES : 0
  }
}
