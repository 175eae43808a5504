import { BatchLoader } from '@palanquin/service/batch-loader'
import { StoreUnavailable } from '@palanquin/service/http/api-error'
import type { Log } from '@palanquin/service/log'
import { singleFlight } from '@palanquin/service/memoize'
import type { NoSession, Session } from './session.ts'
import { SessionCache } from './session-cache.ts'
import type { SessionService } from './session-service.ts'

const HASHES_PER_CALL = 200
/** After a failure what is known goes on for so long before the service is asked again. */
const PAUSE_MS = 1_000

/** `away`: it cannot be looked up now, and this gateway does not know it. */
export type SessionVerdict = Session | NoSession | 'away'

/**
 * The sessions that this gateway has seen. Each is looked up once and then kept: a check-in costs a hash and a look into a
 * map. `follow` drops those that have changed. While the store is away, participants go on with what is kept here; somebody
 * with a role does not (ADR 0029).
 */
export class Sessions {
  readonly #service: Pick<SessionService, 'find' | 'changed'>
  readonly #log: Log
  readonly #nowMs: () => number
  readonly #cache: SessionCache
  readonly #loader: BatchLoader<string, Session | NoSession>
  readonly #once = singleFlight<SessionVerdict>()
  #resumesAtMs = 0
  #isAway = false

  constructor({
    service,
    log,
    nowMs = Date.now,
  }: { service: Pick<SessionService, 'find' | 'changed'>; log: Log; nowMs?: () => number }) {
    this.#service = service
    this.#log = log
    this.#nowMs = nowMs
    this.#cache = new SessionCache(nowMs)
    this.#loader = new BatchLoader({
      loadAll: (hashes: readonly string[]) => service.find(hashes),
      sizeMax: HASHES_PER_CALL,
    })
  }

  /** How many are kept: the gauge of the metrics. */
  get size(): number {
    return this.#cache.size
  }

  /** A session that needs no look-up. */
  cached(hash: string): Session | undefined {
    return this.#cache.fresh(hash)
  }

  /** The session of a token's hash, looked up where that is needed. Never rejects. */
  async find(hash: string): Promise<SessionVerdict> {
    const cached = this.#cache.fresh(hash)
    if (cached) return cached
    const rejected = this.#cache.rejection(hash)
    if (rejected) return rejected
    if (this.#nowMs() < this.#resumesAtMs) return this.#cache.lastKnown(hash) ?? 'away'
    const looking = this.#once(hash, () => this.#lookUp(hash))
    return this.#cache.aged(hash) ?? looking
  }

  /** A session that the service has just started for this gateway: it is known, and the service is there. */
  keep(session: Session): void {
    this.#resumesAtMs = 0
    this.#cache.put(session.hash, session, this.#nowMs())
  }

  /** What was changed by this gateway itself. */
  forget(hashes: Iterable<string>): void {
    this.#cache.drop(hashes)
  }

  /** Drops the sessions that changed lately. */
  async follow(): Promise<void> {
    const askedMs = this.#nowMs()
    const changed = await this.#service.changed()
    if (changed) this.#cache.follow(changed, askedMs)
  }

  async #lookUp(hash: string): Promise<SessionVerdict> {
    const checkedMs = this.#nowMs()
    try {
      const found = await this.#loader.load(hash)
      this.#note(false)
      this.#cache.put(hash, found, checkedMs)
      return found
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error
      this.#resumesAtMs = this.#nowMs() + PAUSE_MS
      this.#note(true, error)
      return this.#cache.lastKnown(hash) ?? 'away'
    }
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
