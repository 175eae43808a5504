import QuickLRU from 'quick-lru'

/** At least so many, and at most twice as many. */
const KNOWN_SIZE = 50_000
/** Kept apart, so that made-up tokens evict no good one. */
const UNKNOWN_SIZE = 10_000
const KNOWN_MS = 60_000
/** No token that was unknown becomes known. */
const UNKNOWN_MS = 600_000

/** Which write tokens tracking knew lately, by their hashes: those are counted by themselves, others by their address. */
export class KnownTokens {
  readonly #known = new QuickLRU<string, true>({ maxSize: KNOWN_SIZE, maxAge: KNOWN_MS })
  readonly #unknown = new QuickLRU<string, true>({ maxSize: UNKNOWN_SIZE, maxAge: UNKNOWN_MS })

  verdict(hash: string): 'known' | 'unknown' | undefined {
    if (this.#known.has(hash)) return 'known'
    return this.#unknown.has(hash) ? 'unknown' : undefined
  }

  note(hash: string, isKnown: boolean): void {
    if (isKnown) this.#known.set(hash, true)
    else {
      this.#known.delete(hash)
      this.#unknown.set(hash, true)
    }
  }
}
