import { SESSION_CHANGES_REACH_MS } from '@palanquin/domain/session'
import QuickLRU from 'quick-lru'
import type { NoSession, Session } from './session.ts'

/** At least so many and at most twice as many, some 30 MB. */
const SESSIONS_KEPT = 50_000
/** Apart, so that made-up tokens evict no real session. */
const REJECTED_KEPT = 5_000
/** A participant's is looked up again after an hour, which also extends it. */
const PARTICIPANT_TTL_MS = 3_600_000
/** What somebody with a role may do follows the role within this time. */
const STAFF_TTL_MS = 1_000
const REJECTED_TTL_MS = 5_000
/** Less than the list of changes reaches back, by what a lookup and a slow call may take. */
const GAP_MS_MAX = SESSION_CHANGES_REACH_MS / 2

/** The sessions that a gateway has seen, by the hash of their token, and until when each is believed. */
export class SessionCache {
  readonly #nowMs: () => number
  readonly #kept = new QuickLRU<string, { session: Session; checkedMs: number }>({ maxSize: SESSIONS_KEPT })
  readonly #rejected = new QuickLRU<string, { why: NoSession; untilMs: number }>({ maxSize: REJECTED_KEPT })
  /** Since when no change was missed. */
  #followedSinceMs = 0
  #followedMs = Number.NEGATIVE_INFINITY

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs
  }

  get size(): number {
    return this.#kept.size
  }

  /** A session that needs no look-up. */
  fresh(hash: string): Session | undefined {
    const kept = this.#kept.get(hash)
    const ttlMs = kept?.session.isStaff ? STAFF_TTL_MS : PARTICIPANT_TTL_MS
    return kept && this.#isCurrent(kept) && this.#nowMs() - kept.checkedMs < ttlMs ? kept.session : undefined
  }

  /** A participant's that was looked up long ago and has not changed since: no call waits for its look-up. */
  aged(hash: string): Session | undefined {
    const kept = this.#kept.get(hash)
    return kept && !kept.session.isStaff && this.#isCurrent(kept) ? kept.session : undefined
  }

  /** What is known of a participant's session, whether changes were missed or not. */
  lastKnown(hash: string): Session | NoSession | undefined {
    const session = this.#kept.get(hash)?.session
    if (!session || session.isStaff) return undefined
    return session.expiresAtMs > this.#nowMs() ? session : 'over'
  }

  /** Why a token was rejected a moment ago. */
  rejection(hash: string): NoSession | undefined {
    const rejected = this.#rejected.get(hash)
    return rejected && rejected.untilMs > this.#nowMs() ? rejected.why : undefined
  }

  /** The result of a look-up that began at `checkedMs`. */
  put(hash: string, found: Session | NoSession, checkedMs: number): void {
    if (typeof found === 'string') {
      this.#kept.delete(hash)
      this.#rejected.set(hash, { why: found, untilMs: this.#nowMs() + REJECTED_TTL_MS })
    } else this.#kept.set(hash, { session: found, checkedMs })
  }

  /** Drops what changed, as of `askedMs`; after a gap in which changes were missed, nothing older is believed. */
  follow(changed: Iterable<string>, askedMs: number): void {
    if (askedMs - this.#followedMs > GAP_MS_MAX) this.#followedSinceMs = askedMs
    this.#followedMs = askedMs
    this.drop(changed)
  }

  drop(hashes: Iterable<string>): void {
    for (const hash of hashes) this.#kept.delete(hash)
  }

  #isCurrent({ session, checkedMs }: { session: Session; checkedMs: number }): boolean {
    return session.expiresAtMs > this.#nowMs() && checkedMs >= this.#followedSinceMs
  }
}
