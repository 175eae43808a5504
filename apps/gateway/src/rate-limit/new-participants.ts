import type { SeenIds } from '@palanquin/service/seen-ids'
import type { Subject, Verdict } from './limiter.ts'
import type { CallOutcome } from './outcome.ts'

/** Whether a participant is known; rejects when that cannot be found out now. */
export type IsKnown = (userId: string) => Promise<boolean>

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
  readonly #take: (subject: Subject) => Promise<Verdict>
  readonly #arrivals = new Map<string, Arrival>()

  constructor({
    seen,
    isKnown,
    take,
  }: { seen: SeenIds; isKnown: IsKnown; take: (subject: Subject) => Promise<Verdict> }) {
    this.#seen = seen
    this.#isKnown = isKnown
    this.#take = take
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
    return this.#take(subject)
  }

  /** The last call gives the place back if none was accepted. */
  #end(userId: string, arrival: Arrival): void {
    if (--arrival.calls > 0) return
    this.#arrivals.delete(userId)
    if (arrival.outcome === 'rejected')
      void arrival.place.then((place) => (place?.allowed ? place.giveBack() : undefined))
  }
}
