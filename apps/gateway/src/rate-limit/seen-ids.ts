/** A cache of a processor: as many places for one hash. */
const WAYS = 8
/** 2^17 × 8 ids of 4 bytes each: three pilgrimages of 300,000, in 4 MB. */
const SETS = 131_072

/**
 * Ids that were seen, in a memory of a fixed size: 32 bits of each, in one of 131,072 sets of eight. An id that others
 * pushed out is one that was not seen. One in 500 million that was never seen looks as if it was.
 */
export class SeenIds {
  readonly #marks = new Uint32Array(SETS * WAYS)
  readonly #seeds = crypto.getRandomValues(new Uint32Array(2))
  #turn = 0

  has(id: string): boolean {
    const mark = this.#markOf(id)
    const first = this.#firstOf(id)
    for (let at = first; at < first + WAYS; at++) if (this.#marks[at] === mark) return true
    return false
  }

  add(id: string): void {
    if (this.has(id)) return
    const first = this.#firstOf(id)
    let place = first + (this.#turn++ % WAYS)
    for (let at = first; at < first + WAYS; at++) if (this.#marks[at] === 0) place = at
    this.#marks[place] = this.#markOf(id)
  }

  #firstOf(id: string): number {
    return (Bun.hash.xxHash32(id, this.#seeds[0]) % SETS) * WAYS
  }

  /** Never 0, which is an empty place. */
  #markOf(id: string): number {
    return Bun.hash.xxHash32(id, this.#seeds[1]) || 1
  }
}
