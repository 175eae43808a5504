/** So many share nearly all that there is to share: waiting for more would only delay them. */
const ENOUGH = 16

/** Milliseconds since the departure before, and since somebody joined; without the latter all of the former. */
export type Gathering = { everyMs: number; quietMs?: number }

/**
 * When calls that gather leave together. At a thousand requests a second a tick of the event loop holds one or two, so that
 * gathering only those of a tick shares hardly anything. The first of an idle period leaves at the end of its tick; those after
 * it within `everyMs` leave when that time is over, when nobody has joined them for `quietMs` (a few clients that all wait for
 * their answers), or at the end of the tick in which there are enough of them. One that comes when the last one left alone and is
 * answered does not wait: a client that asks for one thing after the other is no crowd. No departure waits for the reply to an
 * earlier one, so a call that hangs delays none by more than that time.
 */
export class Departures {
  readonly #everyMs: number
  readonly #quietMs: number
  readonly #enough: number
  readonly #leave: () => Promise<unknown> | undefined
  #lastMs = Number.NEGATIVE_INFINITY
  #joinedMs = 0
  #lastCount = 0
  /** Departures whose replies have not come. */
  #underWay = 0
  #count = 0
  #timer: ReturnType<typeof setTimeout> | undefined
  #isLeaving = false

  /**
   * `leave` takes all that waits, and resolves when it is answered or has failed. `enough` do not wait for the time.
   */
  constructor({
    everyMs,
    quietMs = everyMs,
    enough = ENOUGH,
    leave,
  }: Gathering & { enough?: number; leave: () => Promise<unknown> | undefined }) {
    this.#everyMs = everyMs
    this.#quietMs = quietMs
    this.#enough = enough
    this.#leave = leave
  }

  /** To be called for each that begins to wait; `waiting` counts it too. */
  joined(waiting: number): void {
    this.#count = waiting
    if (this.#isLeaving) return
    this.#joinedMs = performance.now()
    if (waiting >= this.#enough) this.leaveThisTick()
    else if (this.#timer === undefined) {
      const sinceMs = this.#joinedMs - this.#lastMs
      if (sinceMs >= this.#everyMs || (this.#lastCount === 1 && this.#underWay === 0)) this.leaveThisTick()
      else this.#await(this.#joinedMs)
    }
  }

  /** All that waits leaves at the end of this tick. */
  leaveThisTick(): void {
    if (this.#isLeaving) return
    this.#isLeaving = true
    setImmediate(this.#depart)
  }

  #await(nowMs: number): void {
    const untilMs = Math.min(this.#lastMs + this.#everyMs, this.#joinedMs + this.#quietMs)
    if (untilMs > nowMs) this.#timer = setTimeout(this.#look, untilMs - nowMs)
    else this.#depart()
  }

  /** Others may have joined since the timer was set, or be enough. */
  readonly #look = (): void => {
    if (!this.#isLeaving) this.#await(performance.now())
  }

  readonly #depart = (): void => {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#isLeaving = false
    this.#lastMs = performance.now()
    this.#lastCount = this.#count
    this.#count = 0
    const replies = this.#leave()
    if (!replies) return
    this.#underWay++
    void replies.finally(this.#arrived)
  }

  readonly #arrived = (): void => {
    this.#underWay--
  }
}
