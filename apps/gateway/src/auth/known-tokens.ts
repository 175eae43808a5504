import { RecentMap } from '@palanquin/service/recent-map'
import type { Holder } from './claims.ts'

/** Some 20 MB: a pilgrimage of a hundred thousand, each with the token of this hour. */
const PROVEN_MAX = 100_000
/** Refused ones are held apart, so that made-up tokens push no good one out. */
const REFUSED_MAX = 10_000
/** A phone that repeats a bad token at once need not be judged again. */
const REFUSED_MS = 5_000

/** Why a token proves nobody: `expired` once proved somebody, as far as it says itself. */
export type Invalid = 'invalid' | 'expired'

/** What became of tokens so far, by their hash: proven ones until they expire, refused ones for a moment. */
export class KnownTokens {
  readonly #proven = new RecentMap<Holder>(PROVEN_MAX)
  readonly #refused = new RecentMap<{ why: Invalid; untilMs: number }>(REFUSED_MAX)

  /** The holder of a proven token, why another was refused, undefined for one that is not known. */
  find(hash: string, nowMs: number): Holder | Invalid | undefined {
    const holder = this.#proven.get(hash)
    if (holder) return holder.untilMs > nowMs ? holder : 'expired'
    const refused = this.#refused.get(hash)
    return refused && refused.untilMs > nowMs ? refused.why : undefined
  }

  prove(hash: string, holder: Holder): void {
    this.#proven.set(hash, holder)
  }

  refuse(hash: string, why: Invalid, nowMs: number): void {
    this.#refused.set(hash, { why, untilMs: nowMs + REFUSED_MS })
  }

  get size(): { proven: number; refused: number } {
    return { proven: this.#proven.size, refused: this.#refused.size }
  }
}
