import type { SeenIds } from '@palanquin/service/seen-ids'
import type { Charge, Limiter, Refusal, Taken } from './limiter.ts'

/** Whether a participant is known; rejects when that cannot be found out now. */
export type IsKnown = (userId: string) => Promise<boolean>

/** What a service did with a call: `unknown` when it did not respond. */
type CallOutcome = 'accepted' | 'rejected' | 'unknown'

/** 502 and 504: the service may have carried it out. */
const MAYBE_DONE = [500, 502, 504]

export const outcomeOf = (status: number): CallOutcome => {
  if (status < 300) return 'accepted'
  return MAYBE_DONE.includes(status) ? 'unknown' : 'rejected'
}

/** The place of an unregistered participant. `isNew`: left out where the service does not say. */
export type Place = {
  refused: Refusal | undefined
  settle: (outcome: CallOutcome, isNew?: boolean) => void
}

/** Calls in progress that name one unregistered participant: they share one place. */
type Arrival = { taken: Promise<Taken | undefined>; calls: number; isKept: boolean; isKnown: boolean }

/**
 * How many unregistered participants an address may bring; known ones are never refused. Whoever this process
 * has not seen takes a place, and gives it back once the service or tracking says that they are known.
 */
export class NewParticipants {
  readonly #seen: SeenIds
  readonly #isKnown: IsKnown
  readonly #limiter: Pick<Limiter, 'take' | 'giveBack'>
  readonly #arrivals = new Map<string, Arrival>()

  constructor({
    seen,
    isKnown,
    limiter,
  }: { seen: SeenIds; isKnown: IsKnown; limiter: Pick<Limiter, 'take' | 'giveBack'> }) {
    this.#seen = seen
    this.#isKnown = isKnown
    this.#limiter = limiter
  }

  /** Whether this process has seen the participant before: then nothing is asked and nothing counted. */
  isSeen(userId: string): boolean {
    return this.#seen.has(userId)
  }

  /**
   * A place, kept if one of the calls that name the participant is accepted; undefined for a known one, or
   * where that cannot be found out. `saysNew`: the service will say, so tracking is asked only without a place.
   */
  async take(userId: string, charge: Charge, { saysNew = false } = {}): Promise<Place | undefined> {
    const arrival = this.#arrivals.get(userId) ?? this.#begin(userId, charge, saysNew)
    arrival.calls++
    const taken = await arrival.taken
    if (!taken || taken.refused) {
      this.#end(userId, arrival)
      return taken && { refused: taken.refused, settle: () => {} }
    }
    return {
      refused: undefined,
      settle: (outcome, isNew = true) => {
        if (outcome === 'accepted') this.#seen.add(userId)
        if (outcome === 'accepted' && !isNew) arrival.isKnown = true
        if (outcome !== 'rejected') arrival.isKept = true
        this.#end(userId, arrival)
      },
    }
  }

  #begin(userId: string, charge: Charge, saysNew: boolean): Arrival {
    const taken = this.#placeFor(userId, charge, saysNew)
    const arrival: Arrival = { taken, calls: 0, isKept: false, isKnown: false }
    this.#arrivals.set(userId, arrival)
    return arrival
  }

  async #placeFor(userId: string, charge: Charge, saysNew: boolean): Promise<Taken | undefined> {
    const taken = await this.#limiter.take([charge], { isBeside: true })
    if (saysNew && !taken.refused) return taken
    try {
      if (await this.#isKnown(userId)) this.#seen.add(userId)
      // Those who turned out to be known have given their places back meanwhile.
      else return taken.refused ? await this.#limiter.take([charge]) : taken
    } catch {
      // `knownParticipants` has logged the reason
    }
    this.#limiter.giveBack(taken)
    return undefined
  }

  /** The last call gives the place back if none was accepted, or if the participant was known. */
  #end(userId: string, arrival: Arrival): void {
    if (--arrival.calls > 0) return
    this.#arrivals.delete(userId)
    if (arrival.isKnown || !arrival.isKept)
      void arrival.taken.then((taken) => taken && this.#limiter.giveBack(taken))
  }
}
