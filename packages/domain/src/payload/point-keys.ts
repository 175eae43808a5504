/** Finds the points of a sync with too many keys while its text is scanned. Contract section 1 (Hostile bodies). */

/** A point has eight fields, twelve with all aliases. Keys of nested objects count. */
export const KEYS_PER_POINT_MAX = 16
/**
 * Different names in all points of a body together. A phone repeats the same ones in each point; to parse a new name costs
 * half a microsecond, and 100 KB hold 16,000.
 */
export const NAMES_IN_POINTS_MAX = 256

/** Follows the points of one text, key by key. */
export class PointKeys {
  readonly #text: string
  readonly #names = new Set<string>()
  /** The names of an earlier point in order, nearly always those of this one. */
  readonly #expected: string[] = []
  /** Starts and ends of the points to cut, in order. */
  readonly #cut: number[] = []
  #start = 0
  #keys = 0
  #isOver = false

  constructor(text: string) {
    this.#text = text
  }

  begin(at: number): void {
    this.#start = at
    this.#keys = 0
    this.#isOver = false
  }

  /** A key whose name is between `start` and `end`, as it is written: two spellings are two names. */
  key(start: number, end: number): void {
    if (this.#isOver) return
    this.#isOver = this.#keys === KEYS_PER_POINT_MAX || !this.#isNameKnown(start, end)
    this.#keys++
  }

  /** The point has ended before `at`. */
  end(at: number): void {
    if (this.#isOver) this.#cut.push(this.#start, at)
  }

  /** The text with `null` in place of every point with too many keys. */
  withoutExcess(): string {
    let text = ''
    let from = 0
    for (let index = 0; index < this.#cut.length; index += 2) {
      text += `${this.#text.slice(from, this.#cut[index])}null`
      from = this.#cut[index + 1] ?? from
    }
    return from === 0 ? this.#text : text + this.#text.slice(from)
  }

  /** True for a new name, too, until there are `NAMES_IN_POINTS_MAX`. */
  #isNameKnown(start: number, end: number): boolean {
    const expected = this.#expected[this.#keys]
    if (expected?.length === end - start && this.#text.startsWith(expected, start)) return true
    const name = this.#text.slice(start, end)
    if (!this.#names.has(name)) {
      if (this.#names.size === NAMES_IN_POINTS_MAX) return false
      this.#names.add(name)
    }
    this.#expected[this.#keys] = name
    return true
  }
}
