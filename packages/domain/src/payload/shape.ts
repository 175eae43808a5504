/**
 * Limits on the structure of a JSON body, checked in its text before it is parsed. Contract section 1 (Hostile bodies): to
 * parse, rename and traverse a body costs by the key, and one thread serves all clients.
 */
import { PointKeys } from './point-keys'

/** Our largest object has a dozen, a message of LINE some 20. */
export const KEYS_PER_OBJECT_MAX = 64
/** Without the points of a sync. Five rich messages of LINE have some 500. */
export const KEYS_MAX = 2_000
/** `points` of a sync is the longest list that is read. */
export const ITEMS_MAX = 1_000
/** Objects and arrays: a few for each of 1,000 points; they take a quarter of a millisecond to parse. */
const CONTAINERS_MAX = 8_000
/** security.md: no body needs more, and PostgreSQL rejects much deeper JSON. The body itself is level 1. */
export const DEPTH_MAX = 16

const QUOTE = 0x22
const COMMA = 0x2c
const COLON = 0x3a
const OPEN_BRACKET = 0x5b
const BACKSLASH = 0x5c
const CLOSE_BRACKET = 0x5d
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d

const POINTS = 'points'
/** Length of a name in a message. */
const FIELD_CHARACTERS_MAX = 80
/** The body's object is level 1, the array of its `points` level 2. */
const POINTS_DEPTH = 2

/** What differs for bodies of known senders, and for those of phone apps. */
export type ShapeLimits = { keysMax?: number; itemsMax?: number; containersMax?: number }

export type BoundedJson = { text: string } | { problem: string }

/**
 * A body's text if its structure is within the limits, else a sentence about the first excess. A point of `points` with too
 * many keys (`PointKeys`) becomes `null` in the text: its verdict is `invalid`, and the others are processed. Whether the
 * text is JSON is left to JSON.parse.
 */
export function boundJson(text: string, limits: ShapeLimits = {}): BoundedJson {
  return new Scan(text, limits).run()
}

/** One pass over the characters of a text, stopped by the first excess. */
class Scan {
  readonly #text: string
  readonly #keysMax: number
  readonly #itemsMax: number
  readonly #containersMax: number
  /** For each open level: the bracket that closes it, and its keys or commas so far. */
  readonly #closers = new Uint8Array(DEPTH_MAX + 1)
  readonly #counts = new Int32Array(DEPTH_MAX + 1)
  #depth = 0
  #keys = 0
  #containers = 0
  /** The last string between its quotes: at a colon, the name of a key. */
  #nameStart = 0
  #nameEnd = 0
  /** The body's field that is being scanned, for messages. */
  #fieldStart = 0
  #fieldEnd = 0
  #points: PointKeys | undefined
  #inPoints = false

  constructor(
    text: string,
    { keysMax = KEYS_MAX, itemsMax = ITEMS_MAX, containersMax = CONTAINERS_MAX }: ShapeLimits,
  ) {
    this.#text = text
    this.#keysMax = keysMax
    this.#itemsMax = itemsMax
    this.#containersMax = containersMax
  }

  run(): BoundedJson {
    const text = this.#text
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at)
      let problem: string | undefined
      if (code === QUOTE) {
        this.#nameStart = at + 1
        at = endOfString(text, at + 1)
        this.#nameEnd = at
      } else if (code === COLON) problem = this.#key()
      else if (code === COMMA) problem = this.#comma()
      else if (code === OPEN_BRACE || code === OPEN_BRACKET) problem = this.#open(code, at)
      else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) problem = this.#close(code, at)
      if (problem !== undefined) return { problem }
    }
    return { text: this.#points?.withoutExcess() ?? text }
  }

  #key(): string | undefined {
    if (this.#inPoints && this.#depth > POINTS_DEPTH) {
      this.#points?.key(this.#nameStart, this.#nameEnd)
      return undefined
    }
    if (++this.#keys > this.#keysMax) return `body: expected at most ${this.#keysMax} keys`
    if (this.#count() > KEYS_PER_OBJECT_MAX)
      return this.#problem(`at most ${KEYS_PER_OBJECT_MAX} keys in an object`)
    if (this.#depth === 1) {
      this.#fieldStart = this.#nameStart
      this.#fieldEnd = this.#nameEnd
    }
    return undefined
  }

  #comma(): string | undefined {
    if (this.#closers[this.#depth] !== CLOSE_BRACKET || this.#count() < this.#itemsMax) return undefined
    return this.#problem(`at most ${this.#itemsMax} items in an array`)
  }

  #count(): number {
    const count = (this.#counts[this.#depth] ?? 0) + 1
    this.#counts[this.#depth] = count
    return count
  }

  #open(code: number, at: number): string | undefined {
    if (this.#depth === DEPTH_MAX) return this.#problem(`at most ${DEPTH_MAX} levels of nesting`)
    if (++this.#containers > this.#containersMax)
      return `body: expected at most ${this.#containersMax} objects and arrays`
    if (this.#inPoints && this.#depth === POINTS_DEPTH) this.#points?.begin(at)
    else if (code === OPEN_BRACKET && this.#depth === POINTS_DEPTH - 1 && this.#isNamedPoints()) {
      this.#inPoints = true
      this.#points ??= new PointKeys(this.#text)
    }
    this.#depth++
    this.#closers[this.#depth] = code === OPEN_BRACE ? CLOSE_BRACE : CLOSE_BRACKET
    this.#counts[this.#depth] = 0
    return undefined
  }

  /** Brackets that do not match are found here, because a point that is cut is not parsed. */
  #close(code: number, at: number): string | undefined {
    if (this.#depth === 0 || this.#closers[this.#depth] !== code) return NOT_JSON
    this.#depth--
    if (this.#inPoints && this.#depth === POINTS_DEPTH) this.#points?.end(at + 1)
    if (this.#depth < POINTS_DEPTH) this.#inPoints = false
    return undefined
  }

  #problem(expected: string): string {
    const field = this.#text.slice(this.#fieldStart, this.#fieldEnd)
    const where = this.#depth === 1 || field === '' ? 'body' : field.slice(0, FIELD_CHARACTERS_MAX)
    return `${where}: expected ${expected}`
  }

  #isNamedPoints(): boolean {
    return this.#nameEnd - this.#nameStart === POINTS.length && this.#text.startsWith(POINTS, this.#nameStart)
  }
}

export const NOT_JSON = 'The body is not valid JSON in UTF-8.'

/** The index of the quote that ends a string, or the length of the text. */
function endOfString(text: string, from: number): number {
  let at = from
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) return at
    if (code === BACKSLASH) at++
  }
  return at
}
