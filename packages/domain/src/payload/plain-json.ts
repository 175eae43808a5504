/**
 * Reads the JSON that phones send without building objects: printable ASCII without escapes, scalars in flat objects. What is
 * written otherwise is left to JSON.parse, so whatever a method gives is what JSON.parse would give.
 */
import { utcAt } from '../time/iso-text'
import { decimalAt, END } from './plain-number'

const QUOTE = 0x22
const COMMA = 0x2c
const MINUS = 0x2d
const ZERO = 0x30
const NINE = 0x39
const COLON = 0x3a
const BACKSLASH = 0x5c
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d
const TILDE = 0x7e
const SPACE = 0x20
const TAB = 0x09
const LINE_FEED = 0x0a
const CARRIAGE_RETURN = 0x0d

/** Longer texts are left to the parser: no body of a participant is longer. */
const CHARACTERS_MAX = 131_072

/** The text that is being read, and a zero behind it. Bytes at a place that never changes are read three times as fast as a text. */
const bytes = new Uint8Array(CHARACTERS_MAX + 4)
const words = new DataView(bytes.buffer)
const encoder = new TextEncoder()

/** Whether so many characters are the same at two places. Behind the text stand three more bytes, so that the last word is there too. */
function isRepeated(at: number, start: number, length: number): boolean {
  let index = 0
  for (; index + 4 <= length; index += 4)
    if (words.getInt32(at + index, true) !== words.getInt32(start + index, true)) return false
  for (; index < length; index++) if (bytes[at + index] !== bytes[start + index]) return false
  return true
}

/**
 * A position in a text. A method that cannot read what stands there says so, and the position then means nothing. One text is
 * read at a time, and without a wait: all use the same memory.
 */
export class PlainJson {
  readonly #text: string
  at = 0
  /** Where the name ends that was read last. */
  nameEnd = 0

  /** The positions of the text and of its bytes are the same up to the first character that is not ASCII, and there reading ends. */
  constructor(text: string) {
    this.#text = text
    const { read, written } = encoder.encodeInto(text, bytes.subarray(0, CHARACTERS_MAX))
    bytes[read === text.length ? written : 0] = 0
  }

  /** The code of the next character that is no white space, 0 at the end of the text. */
  next(): number {
    let { at } = this
    let code = bytes[at] ?? 0
    while (code === SPACE || code === LINE_FEED || code === CARRIAGE_RETURN || code === TAB)
      code = bytes[++at] ?? 0
    this.at = at
    return code
  }

  /** Steps over a character, and white space before it. */
  take(code: number): boolean {
    if (this.next() !== code) return false
    this.at++
    return true
  }

  isAtEnd(): boolean {
    return this.next() === 0 && this.at === this.#text.length
  }

  /** Steps over a string without escapes; its first character, or -1. Its last one is before `at - 1`. */
  string(): number {
    if (this.next() !== QUOTE) return -1
    const start = this.at + 1
    let at = start
    let code = bytes[at] ?? 0
    while (code >= SPACE && code <= TILDE && code !== QUOTE && code !== BACKSLASH) code = bytes[++at] ?? 0
    this.at = at + 1
    return code === QUOTE ? start : -1
  }

  /** The same of a name and the colon behind it. */
  name(): number {
    const start = this.string()
    this.nameEnd = this.at - 1
    return start >= 0 && this.take(COLON) ? start : -1
  }

  /** Whether the text says `word` from `start` up to `end`. */
  says(word: string, start: number, end: number): boolean {
    return end - start === word.length && this.#text.startsWith(word, start)
  }

  slice(start: number, end: number): string {
    return this.#text.slice(start, end)
  }

  /** The instant of a string of 24 characters in the form of `toISOString`, which is stepped over; NaN for anything else. */
  utc(): number {
    const { at } = this
    if (bytes[at] !== QUOTE || bytes[at + 25] !== QUOTE) return Number.NaN
    const ms = utcAt(bytes, at + 1)
    if (!Number.isNaN(ms)) this.at = at + 26
    return ms
  }

  /** Steps over so many characters if they are those that stand from `start` on. */
  repeats(start: number, length: number): boolean {
    if (!isRepeated(this.at, start, length)) return false
    this.at += length
    return true
  }

  /** The same and the number behind them; NaN where there is none, and then the position is before it. */
  repeatsAndNumber(start: number, length: number): number {
    const { at } = this
    if (!isRepeated(at, start, length)) return Number.NaN
    this.at = at + length
    const value = decimalAt(bytes, at + length)
    if (END.isText || Number.isNaN(value)) return Number.NaN
    this.at = END.at
    return value
  }

  /** Steps over what a sticky pattern finds here. */
  passes(pattern: RegExp): boolean {
    pattern.lastIndex = this.at
    if (!pattern.test(this.#text)) return false
    this.at = pattern.lastIndex
    return true
  }

  /** A finite number, or NaN where there is none. */
  number(): number {
    const { at: start } = this
    const value = decimalAt(bytes, start)
    this.at = END.at
    if (!END.isText) return value
    const number = Number(this.#text.slice(start, END.at))
    return Number.isFinite(number) ? number : Number.NaN
  }

  /** Steps over `true`, `false` or `null`. */
  literal(word: 'true' | 'false' | 'null'): boolean {
    if (!this.#text.startsWith(word, this.at)) return false
    this.at += word.length
    return true
  }

  /** Steps over a string, a number or a literal. */
  scalar(): boolean {
    const code = this.next()
    if (code === QUOTE) return this.string() >= 0
    if (code === MINUS || (code >= ZERO && code <= NINE)) return !Number.isNaN(this.number())
    return this.literal('null') || this.literal('true') || this.literal('false')
  }

  /** Steps over the beginning of an object: -1 where there is none, 0 for an empty one, 1 before its first name. */
  open(): -1 | 0 | 1 {
    if (!this.take(OPEN_BRACE)) return -1
    return this.take(CLOSE_BRACE) ? 0 : 1
  }

  /** Steps over what stands behind a member of an object: 1 where another follows, 0 at its end, -1 for anything else. */
  more(): -1 | 0 | 1 {
    const code = this.next()
    this.at++
    return code === COMMA ? 1 : code === CLOSE_BRACE ? 0 : -1
  }
}
