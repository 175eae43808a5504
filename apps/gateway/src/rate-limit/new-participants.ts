import type { Subject, Verdict } from './limiter.ts'
import type { CallOutcome } from './outcome.ts'
import type { SeenIds } from './seen-ids.ts'

/** Which of these take part already, in their order; rejects when that cannot be told now. */
export type IsKnown = (userId: string) => Promise<boolean>

/** Calls under way that name one participant who may be new: they share one place. */
type PendingParticipant = { place: Promise<Verdict | undefined>; calls: number; outcome: CallOutcome }

/**
 * How many participants an address may bring who were not there before, whatever they come by. Who takes part is never
 * refused, also on an address that a village shares: a gateway remembers whom it has seen, asks tracking about all others,
 * and only for whom nobody knows a place is taken. When tracking does not answer, nobody is counted.
 */
export class NewParticipants {
  readonly #seen: SeenIds
  readonly #ask: IsKnown
  readonly #take: (subject: Subject) => Promise<Verdict>
  readonly #arrivals = new Map<string, PendingParticipant>()

  constructor({
    seen,
    ask,
    take,
  }: { seen: SeenIds; ask: IsKnown; take: (subject: Subject) => Promise<Verdict> }) {
    this.#seen = seen
    this.#ask = ask
    this.#take = take
  }

  /** Whether it has been seen here that they take part: nothing is asked, nothing counted. */
  isSeen(userId: string): boolean {
    return this.#seen.has(userId)
  }

  /**
   * A place for a participant who may be new; undefined for who is not, or where nobody can tell. It is kept if one of the
   * calls that name them was taken: `settle` is to be called for each.
   */
  async take(userId: string, subject: Subject): Promise<Verdict | undefined> {
    const arrival = this.#arrivals.get(userId) ?? this.#begin(userId, subject)
    arrival.calls++
    const place = await arrival.place
    if (!place?.allowed) {
      this.#leave(userId, arrival)
      return place
    }
    return {
      ...place,
      settle: (outcome) => {
        if (outcome === 'taken') this.#seen.add(userId)
        if (arrival.outcome === 'refused') arrival.outcome = outcome
        this.#leave(userId, arrival)
      },
    }
  }

  #begin(userId: string, subject: Subject): PendingParticipant {
    const arrival: PendingParticipant = {
      place: this.#placeFor(userId, subject),
      calls: 0,
      outcome: 'refused',
    }
    this.#arrivals.set(userId, arrival)
    return arrival
  }

  async #placeFor(userId: string, subject: Subject): Promise<Verdict | undefined> {
    try {
      if (await this.#ask(userId)) {
        this.#seen.add(userId)
        return undefined
      }
    } catch {
      return undefined // the one who asked has logged why
    }
    return this.#take(subject)
  }

  /** The last call gives the place back if none was taken. */
  #leave(userId: string, arrival: PendingParticipant): void {
    if (--arrival.calls > 0) return
    this.#arrivals.delete(userId)
    if (arrival.outcome === 'refused')
      void arrival.place.then((place) => (place?.allowed ? place.giveBack() : undefined))
  }
}
