import QuickLRU from 'quick-lru'
import type { TokenUser } from './claims.ts'

/** At least these many and at most twice as many, some 20 MB: a pilgrimage of a hundred thousand, a token an hour each. */
const VERIFIED_SIZE = 50_000
/** Rejected ones are kept apart, so that made-up tokens evict no good one. */
const REJECTED_SIZE = 5_000
/** A phone that repeats a bad token at once need not be judged again. */
const REJECTED_TTL_MS = 5_000

/** Why a token is rejected: `expired` was good once, as far as it says itself. */
export type Rejection = 'invalid' | 'expired'

/** Verdicts by the hash of their token: verified ones until the token expires, rejected ones for five seconds. */
export class VerdictCache {
  readonly #verified = new QuickLRU<string, TokenUser>({ maxSize: VERIFIED_SIZE })
  readonly #rejected = new QuickLRU<string, { why: Rejection; untilMs: number }>({ maxSize: REJECTED_SIZE })

  /** The user of a verified token, why another was rejected, undefined for one that is not known. */
  find(hash: string, nowMs: number): TokenUser | Rejection | undefined {
    const user = this.#verified.get(hash)
    if (user) return user.untilMs > nowMs ? user : 'expired'
    const rejected = this.#rejected.get(hash)
    return rejected && rejected.untilMs > nowMs ? rejected.why : undefined
  }

  accept(hash: string, user: TokenUser): void {
    this.#verified.set(hash, user)
  }

  reject(hash: string, why: Rejection, nowMs: number): void {
    this.#rejected.set(hash, { why, untilMs: nowMs + REJECTED_TTL_MS })
  }

  /** By the labels of `palanquin_gateway_id_tokens`. */
  get size(): { verified: number; rejected: number } {
    return { verified: this.#verified.size, rejected: this.#rejected.size }
  }
}
