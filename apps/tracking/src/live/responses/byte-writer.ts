import type { Buffers } from './buffers.ts'

const ZERO = 48
const MINUS = 45
const POINT = 46
const COLON = 58
const ZULU = 90
const QUOTE = 34
/** Numbers with up to seven decimals are written digit by digit, as phones send them; any other by JavaScript. */
const DECIMALS = 7
const SCALE = 10 ** DECIMALS
/** Smaller ones are written with an exponent. */
const PLAIN_MIN = 1e-6
const INT_MAX = 2 ** 31 - 1
const DAY_MS = 86_400_000
const TIME_LENGTH = '00:00:00.000Z"'.length

/** A shorter copy takes less time in a loop than in a call. */
const LOOPED_MAX = 48
const MILLION = 1_000_000

const ALPHABET = new TextEncoder().encode('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_')

/**
 * Writes JSON as bytes into one growing buffer: a map of 300,000 as text is a string of 60 MB and its pieces, which the
 * garbage collector has to find, and then the same again as bytes.
 */
export class ByteWriter {
  readonly #buffers: Buffers
  #bytes: Uint8Array<ArrayBuffer>
  #length = 0
  #day = Number.NaN
  #dayText = new Uint8Array(0)
  readonly #encoder = new TextEncoder()

  /** `expected`: about how many bytes it will be. */
  constructor(buffers: Buffers, expected: number) {
    this.#buffers = buffers
    this.#bytes = buffers.take(expected)
  }

  get length(): number {
    return this.#length
  }

  /** Any text. */
  text(text: string): void {
    this.#reserve(text.length * 3)
    this.#length += this.#encoder.encodeInto(text, this.#bytes.subarray(this.#length)).written
  }

  bytes(bytes: Uint8Array): void {
    const { length } = bytes
    this.#reserve(length)
    if (length > LOOPED_MAX) this.#bytes.set(bytes, this.#length)
    else {
      const target = this.#bytes
      const start = this.#length
      for (let at = 0; at < length; at++) target[start + at] = bytes[at] ?? 0
    }
    this.#length += length
  }

  /** Lets `copy` write so many bytes at an offset of the buffer. */
  written(bytes: number, copy: (target: Uint8Array, offset: number) => void): void {
    this.#reserve(bytes)
    copy(this.#bytes, this.#length)
    this.#length += bytes
  }

  byte(byte: number): void {
    this.#reserve(1)
    this.#bytes[this.#length++] = byte
  }

  /** A number as `JSON.stringify` writes it. */
  number(value: number): void {
    if (value >= 0 && value === (value | 0)) this.#integer(value | 0)
    else if (Number.isSafeInteger(value)) this.#longInteger(value)
    else this.#decimal(value)
  }

  #decimal(value: number): void {
    const size = Math.abs(value)
    const whole = Math.round(size * SCALE)
    if (size < PLAIN_MIN || whole > INT_MAX || whole / SCALE !== size) {
      this.text(String(value))
      return
    }
    if (value < 0) this.byte(MINUS)
    const integer = (whole / SCALE) | 0
    this.#integer(integer)
    this.#fraction((whole - integer * SCALE) | 0)
  }

  /** Three bytes at a time, as base64url; their number is a multiple of three. */
  base64url(bytes: Uint8Array, start: number, end: number): void {
    this.#reserve(((end - start) / 3) * 4)
    const target = this.#bytes
    let to = this.#length
    for (let at = start; at < end; at += 3) {
      const three = ((bytes[at] ?? 0) << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0)
      target[to++] = ALPHABET[three >> 18] ?? 0
      target[to++] = ALPHABET[(three >> 12) & 63] ?? 0
      target[to++] = ALPHABET[(three >> 6) & 63] ?? 0
      target[to++] = ALPHABET[three & 63] ?? 0
    }
    this.#length = to
  }

  /** A time in epoch ms as ISO text in quotes; the day is worked out once for all times of a day. */
  isoTime(ms: number): void {
    const day = Math.floor(ms / DAY_MS)
    if (day !== this.#day) {
      this.#day = day
      const iso = new Date(day * DAY_MS).toISOString()
      this.#dayText = this.#encoder.encode(`"${iso.slice(0, iso.indexOf('T') + 1)}`)
    }
    this.bytes(this.#dayText)
    this.#reserve(TIME_LENGTH)
    const time = (ms - day * DAY_MS) | 0
    const seconds = (time / 1_000) | 0
    const minutes = (seconds / 60) | 0
    const hours = (minutes / 60) | 0
    this.#padded(hours, 2)
    this.#bytes[this.#length++] = COLON
    this.#padded(minutes - hours * 60, 2)
    this.#bytes[this.#length++] = COLON
    this.#padded(seconds - minutes * 60, 2)
    this.#bytes[this.#length++] = POINT
    this.#padded(time - seconds * 1_000, 3)
    this.#bytes[this.#length++] = ZULU
    this.#bytes[this.#length++] = QUOTE
  }

  /** A copy of what was written since a length. */
  copyFrom(start: number): Uint8Array<ArrayBuffer> {
    return this.#bytes.slice(start, this.#length)
  }

  /** All that was written, and its buffer, which is the caller's to give back. */
  finish(): { written: Uint8Array<ArrayBuffer>; buffer: Uint8Array<ArrayBuffer> } {
    return { written: this.#bytes.subarray(0, this.#length), buffer: this.#bytes }
  }

  /** Up to `INT_MAX`, which divides faster. */
  #integer(integer: number): void {
    let count = 1
    for (let power = 10; count < 10 && integer >= power; power *= 10) count++
    this.#reserve(count)
    this.#padded(integer, count)
  }

  #longInteger(integer: number): void {
    if (integer < 0) this.byte(MINUS)
    const size = Math.abs(integer)
    const high = Math.floor(size / MILLION)
    if (high > INT_MAX) this.text(String(size))
    else if (high === 0) this.#integer(size | 0)
    else {
      this.#integer(high)
      this.#reserve(DECIMALS)
      this.#padded((size - high * MILLION) | 0, 6)
    }
  }

  #padded(integer: number, count: number): void {
    const target = this.#bytes
    let rest = integer | 0
    for (let at = this.#length + count - 1; at >= this.#length; at--) {
      const tenth = (rest / 10) | 0
      target[at] = ZERO + rest - tenth * 10
      rest = tenth
    }
    this.#length += count
  }

  #fraction(fraction: number): void {
    if (fraction === 0) return
    this.#reserve(DECIMALS + 1)
    this.#bytes[this.#length++] = POINT
    this.#padded(fraction, DECIMALS)
    while (this.#bytes[this.#length - 1] === ZERO) this.#length--
  }

  #reserve(more: number): void {
    if (this.#length + more <= this.#bytes.length) return
    const before = this.#bytes
    this.#bytes = this.#buffers.take(Math.max(this.#length + more, Math.ceil(before.length * 1.5)))
    this.#bytes.set(before.subarray(0, this.#length))
    this.#buffers.give(before)
  }
}
