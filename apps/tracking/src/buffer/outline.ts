import { POINTS_MAX } from './packed-layout.ts'

const COMMA = 0x2c
const DOT = 0x2e
const ZERO = 0x30
const INT_MAX = 0x7fff_ffff
/** Two separators, an offset below 2^53 and a fingerprint of 24 bits. */
const POINT_CHARACTERS_MAX = 26

const characters = Buffer.alloc(POINT_CHARACTERS_MAX * POINTS_MAX)
const times = new Float64Array(POINTS_MAX)
const prints = new Int32Array(POINTS_MAX)

/** When points were recorded, and the fingerprint of each: `<offset from the earliest>.<fingerprint>`, by comma, in their order. */
export type Outline = { earliest: number; latest: number; outline: string }

/** Puts an outline together; one at a time, and without a wait: all use the same memory. */
export class OutlineWriter {
  #count = 0
  #earliest = Number.POSITIVE_INFINITY
  #latest = 0

  add(recordedAt: number, print: number): void {
    if (recordedAt < this.#earliest) this.#earliest = recordedAt
    if (recordedAt > this.#latest) this.#latest = recordedAt
    times[this.#count] = recordedAt
    prints[this.#count++] = print
  }

  done(): Outline {
    let at = 0
    for (let point = 0; point < this.#count; point++) {
      if (point > 0) characters[at++] = COMMA
      at = writeWhole((times[point] ?? 0) - this.#earliest, at)
      characters[at++] = DOT
      at = writeWhole(prints[point] ?? 0, at)
    }
    return { earliest: this.#earliest, latest: this.#latest, outline: characters.toString('latin1', 0, at) }
  }
}

/** Writes the digits of a whole number from `at` on; where they end. */
function writeWhole(value: number, at: number): number {
  if (value > INT_MAX) {
    const thousands = writeWhole(Math.floor(value / 1_000), at)
    const rest = value % 1_000
    characters[thousands] = ZERO + Math.floor(rest / 100)
    characters[thousands + 1] = ZERO + (Math.floor(rest / 10) % 10)
    characters[thousands + 2] = ZERO + (rest % 10)
    return thousands + 3
  }
  let end = at + 1
  for (let bound = 10; bound <= value; bound *= 10) end++
  let left = value | 0
  for (let digit = end - 1; digit >= at; digit--) {
    const tens = (left / 10) | 0
    characters[digit] = ZERO + left - tens * 10
    left = tens
  }
  return end
}
