import { SESSION_CHANGES_REACH_MS } from '@palanquin/domain/session'
import { BatchLoader } from '@palanquin/service/batch-loader'
import { StoreUnavailable } from '@palanquin/service/http/api-error'
import type { Log } from '@palanquin/service/log'
import { singleFlight } from '@palanquin/service/memoize'
import QuickLRU from 'quick-lru'
import type { NoSession, Session } from './session.ts'
import type { SessionService } from './session-service.ts'

/** At least so many and at most twice as many, some 30 MB. */
const SESSIONS_KEPT = 50_000
const REJECTED_KEPT = 5_000
/** A participant's is looked up again after an hour, which also extends it. */
const PARTICIPANT_TTL_MS = 3_600_000
/** What somebody with a role may do follows the role within this time. */
const STAFF_TTL_MS = 1_000
const REJECTED_TTL_MS = 5_000
const HASHES_PER_CALL = 200
/** After a failure what is known goes on for so long before the service is asked again. */
const PAUSE_MS = 1_000
/** Less than the list of changes reaches back, by what a lookup and a slow call may take. */
const GAP_MS_MAX = SESSION_CHANGES_REACH_MS / 2

/** `away`: it cannot be looked up now, and this gateway does not know it. */
export type SessionVerdict = Session | NoSession | 'away'

/**
 * The sessions that this gateway has seen. Each is looked up once and then kept: a check-in costs a hash and a look into a
 * map. `follow` drops those that have changed. While the store is away, participants go on with what is kept here; somebody
 * with a role does not (ADR 0029).
 */
export class Sessions {
  readonly #service: SessionService
  readonly #log: Log
  readonly #nowMs: () => number
  readonly #loader: BatchLoader<string, Session | NoSession>
  readonly #kept = new QuickLRU<string, { session: Session; checkedMs: number }>({ maxSize: SESSIONS_KEPT })
  readonly #rejected = new QuickLRU<string, { why: NoSession; untilMs: number }>({ maxSize: REJECTED_KEPT })
  readonly #once = singleFlight<SessionVerdict>()
  /** Since when no change was missed. */
  #followedSinceMs = 0
  #followedMs = Number.NEGATIVE_INFINITY
  #resumesAtMs = 0
  #isAway = false

  constructor({
    service,
    log,
    nowMs = Date.now,
  }: { service: SessionService; log: Log; nowMs?: () => number }) {
    this.#service = service
    this.#log = log
    this.#nowMs = nowMs
    this.#loader = new BatchLoader({
      loadAll: (hashes: readonly string[]) => service.find(hashes),
      sizeMax: HASHES_PER_CALL,
    })
  }

  /** How many are kept: the gauge of the metrics. */
  get size(): number {
    return this.#kept.size
  }

  /** A session that needs no look-up. */
  cached(hash: string): Session | undefined {
    const kept = this.#kept.get(hash)
    return kept && this.#isFresh(kept) ? kept.session : undefined
  }

  /** The session of a token's hash, looked up where that is needed. Never rejects. */
  async find(hash: string): Promise<SessionVerdict> {
    const cached = this.cached(hash)
    if (cached) return cached
    const aged = this.#aged(hash)
    if (aged) {
      void this.#once(hash, () => this.#lookUp(hash))
      return aged
    }
    const rejected = this.#rejected.get(hash)
    if (rejected && rejected.untilMs > this.#nowMs()) return rejected.why
    if (this.#nowMs() < this.#resumesAtMs) return this.#lastKnown(hash)
    return this.#once(hash, () => this.#lookUp(hash))
  }

  /** A session that the service has just started for this gateway: it is known, and the service is there. */
  keep(session: Session): void {
    this.#resumesAtMs = 0
    this.#kept.set(session.hash, { session, checkedMs: this.#nowMs() })
  }

  /** What was changed by this gateway itself. */
  forget(hashes: Iterable<string>): void {
    for (const hash of hashes) this.#kept.delete(hash)
  }

  /** Drops the sessions that changed lately; after a gap in which changes were missed, all are looked up anew. */
  async follow(): Promise<void> {
    const askedMs = this.#nowMs()
    const changed = await this.#service.changed()
    if (!changed) return
    if (askedMs - this.#followedMs > GAP_MS_MAX) this.#followedSinceMs = askedMs
    this.#followedMs = askedMs
    this.forget(changed)
  }

  async #lookUp(hash: string): Promise<SessionVerdict> {
    const checkedMs = this.#nowMs()
    let found: Session | NoSession
    try {
      found = await this.#loader.load(hash)
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error
      this.#resumesAtMs = this.#nowMs() + PAUSE_MS
      this.#note(true, error)
      return this.#lastKnown(hash)
    }
    this.#note(false)
    if (typeof found === 'string') {
      this.#kept.delete(hash)
      this.#rejected.set(hash, { why: found, untilMs: this.#nowMs() + REJECTED_TTL_MS })
    } else this.#kept.set(hash, { session: found, checkedMs })
    return found
  }

  /** A participant's that was looked up long ago and has not changed since: nobody waits for its look-up. */
  #aged(hash: string): Session | undefined {
    const kept = this.#kept.get(hash)
    if (!kept || kept.session.isStaff || kept.checkedMs < this.#followedSinceMs) return undefined
    return kept.session.expiresAtMs > this.#nowMs() ? kept.session : undefined
  }

  #lastKnown(hash: string): SessionVerdict {
    const session = this.#kept.get(hash)?.session
    if (!session || session.isStaff) return 'away'
    return session.expiresAtMs > this.#nowMs() ? session : 'over'
  }

  #isFresh({ session, checkedMs }: { session: Session; checkedMs: number }): boolean {
    const nowMs = this.#nowMs()
    if (session.expiresAtMs <= nowMs || checkedMs < this.#followedSinceMs) return false
    return nowMs - checkedMs < (session.isStaff ? STAFF_TTL_MS : PARTICIPANT_TTL_MS)
  }

  #note(away: boolean, error?: Error): void {
    if (away === this.#isAway) return
    this.#isAway = away
    if (away)
      this.#log.warn(
        { event: 'sessions.unavailable', reason: error?.message },
        'Sessions cannot be looked up: those that are known here go on',
      )
    else this.#log.info({ event: 'sessions.recovered' }, 'Sessions are looked up again')
  }
}
