import type { PlainJson } from '@palanquin/domain/payload/plain-json'
import { parseRecordedAt } from '@palanquin/domain/time'

const QUOTE = 0x22
const LOWER_N = 0x6e
const CLOSE_BRACE = 0x7d

const NAMES = ['recordedAt', 'lat', 'lng', 'accuracy', 'speed', 'altitude', 'heading', 'battery', 'source']

/** Where each field is among the values of a point. */
export const FIELD = {
  recordedAt: 0,
  lat: 1,
  lng: 2,
  accuracy: 3,
  speed: 4,
  altitude: 5,
  heading: 6,
  battery: 7,
} as const
const SOURCE = 8

/** What is no time at all, for a measure that is there. */
const NO_TIME = Number.POSITIVE_INFINITY
export const ABSENT = Number.NaN

/** Reads the points of a sync one by one, unjudged: known names, each once, with a number, null, or text where that may be. */
export class PointReader {
  readonly #json: PlainJson
  /** The fields of the point before, and what stands before each value: nearly always this one has the same. */
  readonly #fields = new Uint8Array(NAMES.length)
  readonly #starts = new Int32Array(NAMES.length)
  readonly #lengths = new Int32Array(NAMES.length)
  #count = 0
  /** By `FIELD`; NaN where there is none. */
  readonly values = new Float64Array(SOURCE)
  /** The one source that points name themselves. */
  source: string | undefined

  constructor(json: PlainJson) {
    this.#json = json
  }

  /** Whether the next point could be read. */
  read(): boolean {
    const json = this.#json
    json.next()
    const start = json.at
    // Then each value of the point before is replaced.
    if (this.#readAsBefore()) return true
    json.at = start
    this.values.fill(ABSENT)
    return this.#readByNames()
  }

  /** Whether the point is written as the one before, but for its values. */
  #readAsBefore(): boolean {
    const json = this.#json
    for (let place = 0; place < this.#count; place++) {
      const { at } = json
      const field = this.#fields[place] ?? 0
      const value = json.repeatsAndNumber(this.#starts[place] ?? 0, this.#lengths[place] ?? 0)
      if (!Number.isNaN(value)) {
        if (!this.#number(field, value)) return false
      } else if (json.at === at || !this.#value(field)) return false
    }
    return this.#count > 0 && json.take(CLOSE_BRACE)
  }

  #readByNames(): boolean {
    const json = this.#json
    let seen = 0
    let from = json.at
    let state: number = json.open()
    this.#count = 0
    while (state === 1) {
      const start = json.name()
      const field = start < 0 ? -1 : NAMES.findIndex((name) => json.says(name, start, json.nameEnd))
      if (field < 0 || (seen & (1 << field)) !== 0) return false
      this.#fields[this.#count] = field
      this.#starts[this.#count] = from
      this.#lengths[this.#count++] = json.at - from
      if (!this.#value(field)) return false
      seen |= 1 << field
      from = json.at
      state = json.more()
    }
    return state === 0
  }

  #value(field: number): boolean {
    const json = this.#json
    const code = json.next()
    if (code === QUOTE) return this.#text(field)
    if (code === LOWER_N) {
      this.values[field] = ABSENT
      return json.literal('null')
    }
    return this.#number(field, json.number())
  }

  #number(field: number, value: number): boolean {
    if (field === SOURCE || Number.isNaN(value)) return false
    this.values[field] = field === FIELD.recordedAt ? (parseRecordedAt(value) ?? NO_TIME) : value
    return true
  }

  #text(field: number): boolean {
    const json = this.#json
    if (field === FIELD.recordedAt) {
      const ms = json.utc()
      if (!Number.isNaN(ms)) {
        this.values[field] = ms
        return true
      }
    }
    const start = json.string()
    if (start < 0 || (field !== FIELD.recordedAt && field !== SOURCE)) return false
    const text = json.slice(start, json.at - 1).trim()
    if (field === FIELD.recordedAt) this.values[field] = parseRecordedAt(text) ?? NO_TIME
    else if (this.source === undefined) this.source = text
    return field !== SOURCE || this.source === text
  }
}
