import type { SeenIds } from '@palanquin/service/seen-ids'
import QuickLRU from 'quick-lru'
import { AddressWindow, type WindowLimiter } from './address-window.ts'
import type { Limiter } from './limiter.ts'
import type { CallOutcome } from './outcome.ts'
import type { Subject, Verdict, VerdictNow } from './verdict.ts'

/** Whether a participant is known; rejects when that cannot be found out now. */
export type IsKnown = (userId: string) => Promise<boolean>

/** Addresses whose window is remembered, at least the latest. */
const WINDOWS_SIZE = 10_000

/** Calls in progress that name one unregistered participant: they share one place. */
type Arrival = { place: Promise<Verdict | undefined>; calls: number; outcome: CallOutcome }

/**
 * How many unregistered participants an address may bring, by whatever route. Known ones are never refused, also where many
 * share an address: the gateway remembers those it has seen, asks tracking about all others, and takes a place only for
 * an unknown one. While tracking does not answer, none are counted.
 */
export class NewParticipants {
  readonly #seen: SeenIds
  readonly #isKnown: IsKnown
  readonly #limiter: WindowLimiter & Pick<Limiter, 'isAlone' | 'era'>
  readonly #arrivals = new Map<string, Arrival>()
  readonly #windows = new QuickLRU<string, AddressWindow>({ maxSize: WINDOWS_SIZE })

  constructor({
    seen,
    isKnown,
    limiter,
  }: {
    seen: SeenIds
    isKnown: IsKnown
    limiter: WindowLimiter & Pick<Limiter, 'isAlone' | 'era'>
  }) {
    this.#seen = seen
    this.#isKnown = isKnown
    this.#limiter = limiter
  }

  /** Whether this process has seen the participant before: then nothing is asked and nothing counted. */
  isSeen(userId: string): boolean {
    return this.#seen.has(userId)
  }

  /**
   * A place for an unregistered participant; undefined for a known one, or where that cannot be found out. It is kept if one
   * of the calls that name them is accepted: `settle` is to be called for each.
   */
  async take(userId: string, subject: Subject): Promise<Verdict | undefined> {
    const arrival = this.#arrivals.get(userId) ?? this.#begin(userId, subject)
    arrival.calls++
    const place = await arrival.place
    if (!place?.allowed) {
      this.#end(userId, arrival)
      return place
    }
    return {
      ...place,
      settle: (outcome) => {
        if (outcome === 'accepted') this.#seen.add(userId)
        if (arrival.outcome === 'rejected') arrival.outcome = outcome
        this.#end(userId, arrival)
      },
    }
  }

  /**
   * The same at once, while this process alone counts: the call may go where the window of its address has a place for it and all
   * that are under way. Whether it needs one the service says, and `settle` counts it then. Undefined where there is no place,
   * or nothing is known of the window yet.
   */
  takeNow(userId: string, subject: Subject): VerdictNow | undefined {
    if (!this.#limiter.isAlone) return undefined
    const window = this.#windowOf(subject)
    if (!window.enter(this.#limiter.era)) return undefined
    return {
      allowed: true,
      limit: subject.rule.limit,
      remaining: window.free,
      resetS: 1,
      kept: undefined,
      giveBack: async () => window.leave(),
      settle: (outcome, isNew = true) => {
        if (outcome === 'accepted') this.#seen.add(userId)
        if (outcome === 'rejected' || (outcome === 'accepted' && !isNew)) window.leave()
        else window.bring()
      },
    }
  }

  #windowOf(subject: Subject): AddressWindow {
    const known = this.#windows.get(subject.id)
    if (known) return known
    const isSeen = (userId: string) => this.#seen.has(userId)
    const window = new AddressWindow({ subject, limiter: this.#limiter, isSeen })
    this.#windows.set(subject.id, window)
    return window
  }

  #begin(userId: string, subject: Subject): Arrival {
    const arrival: Arrival = { place: this.#placeFor(userId, subject), calls: 0, outcome: 'rejected' }
    this.#arrivals.set(userId, arrival)
    return arrival
  }

  async #placeFor(userId: string, subject: Subject): Promise<Verdict | undefined> {
    try {
      if (await this.#isKnown(userId)) {
        this.#seen.add(userId)
        return undefined
      }
    } catch {
      return undefined // `knownParticipants` has logged the reason
    }
    const window = this.#windows.get(subject.id)
    return window ? window.take(userId) : this.#limiter.take(subject)
  }

  /** The last call gives the place back if none was accepted. */
  #end(userId: string, arrival: Arrival): void {
    if (--arrival.calls > 0) return
    this.#arrivals.delete(userId)
    if (arrival.outcome === 'rejected')
      void arrival.place.then((place) => (place?.allowed ? place.giveBack() : undefined))
  }
}
