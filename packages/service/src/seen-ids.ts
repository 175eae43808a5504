/** Places for one hash: a set-associative cache, as in a processor. */
const WAYS = 8
/** 2^17 × 8 ids of 4 bytes each: a million, in 4 MB. An LRU of as many ids takes 195 MB (ADR 0024). */
const SETS = 131_072

/**
 * Ids that were seen, in a fixed amount of memory: 32 bits of each, in one of 131,072 sets of eight. An evicted id counts as
 * not seen. One in 500 million unseen ids looks as if it was seen.
 */
export class SeenIds {
  readonly #tags = new Uint32Array(SETS * WAYS)
  readonly #seeds = crypto.getRandomValues(new Uint32Array(2))
  #next = 0

  has(id: string): boolean {
    const tag = this.#tagOf(id)
    const first = this.#firstOf(id)
    for (let at = first; at < first + WAYS; at++) if (this.#tags[at] === tag) return true
    return false
  }

  add(id: string): void {
    if (this.has(id)) return
    const first = this.#firstOf(id)
    let place = first + (this.#next++ % WAYS)
    for (let at = first; at < first + WAYS; at++) if (this.#tags[at] === 0) place = at
    this.#tags[place] = this.#tagOf(id)
  }

  #firstOf(id: string): number {
    return (Bun.hash.xxHash32(id, this.#seeds[0]) % SETS) * WAYS
  }

  /** Never 0, which is an empty place. */
  #tagOf(id: string): number {
    return Bun.hash.xxHash32(id, this.#seeds[1]) || 1
  }
}
