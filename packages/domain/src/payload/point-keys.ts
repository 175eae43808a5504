/** Which points of a sync say too much to be read, found out while its text is scanned. Contract section 1 (Hostile bodies). */

/** A point has eight fields, with every other name that they may go by twelve. All that stands inside of it counts. */
export const KEYS_PER_POINT_MAX = 16
/**
 * Different names in all points of a body together. A phone says the same ones in each point; to parse a name that was not
 * there before costs half a microsecond, and 100 KB hold 16,000.
 */
export const NAMES_IN_POINTS_MAX = 256

/** The points of one text, key by key in their order. */
export class PointKeys {
  readonly #text: string
  readonly #names = new Set<string>()
  /** The names of an earlier point, in their order: nearly always those of this one. */
  readonly #expected: string[] = []
  /** Starts and ends in the text, in their order. */
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

  /** A key whose name stands between `start` and `end`, as it is written: two spellings of one name are two. */
  key(start: number, end: number): void {
    if (this.#isOver) return
    this.#isOver = this.#keys === KEYS_PER_POINT_MAX || !this.#isNameKnown(start, end)
    this.#keys++
  }

  /** The point has ended before `at`. */
  end(at: number): void {
    if (this.#isOver) this.#cut.push(this.#start, at)
  }

  /** The text with `null` in the place of every point that says too much. */
  withoutExcess(): string {
    let kept = ''
    let from = 0
    for (let index = 0; index < this.#cut.length; index += 2) {
      kept += `${this.#text.slice(from, this.#cut[index])}null`
      from = this.#cut[index + 1] ?? from
    }
    return from === 0 ? this.#text : kept + this.#text.slice(from)
  }

  /** Also of a new one, as long as there is room for it. */
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
