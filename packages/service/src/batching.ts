import DataLoader from 'dataloader'

/** So many share nearly all that there is to share: waiting for more would only delay them. */
const ENOUGH = 16

/**
 * Loads the keys of a tick of the event loop, or those that gather for `everyMs` (`Departures`), in calls of `sizeMax` keys.
 * When a call fails, each `load` of it fails. Nothing is cached.
 */
export class BatchLoader<K, V> extends DataLoader<K, V> {
  readonly #departures: Departures
  #callers = 0

  /** `loadAll` gives as many values, in the order of the keys. */
  constructor({
    loadAll,
    sizeMax,
    everyMs = 0,
  }: { loadAll: (keys: readonly K[]) => Promise<readonly V[]>; sizeMax: number; everyMs?: number }) {
    const dispatches: (() => void)[] = []
    const calls: Promise<unknown>[] = []
    const call = (keys: readonly K[]) => {
      const values = loadAll(keys)
      calls.push(values)
      return values
    }
    super(call, {
      cache: false,
      maxBatchSize: sizeMax,
      batchScheduleFn: (dispatch) => dispatches.push(dispatch),
    })
    const leave = () => {
      this.#callers = 0
      for (const dispatch of dispatches.splice(0)) dispatch()
      return Promise.allSettled(calls.splice(0))
    }
    this.#departures = new Departures({ everyMs, leave })
  }

  /** Rejects as the call does that its key is part of. `isBeside`: a second key of a caller, who is counted once. */
  override load(key: K, { isBeside = false } = {}): Promise<V> {
    const value = super.load(key)
    if (!isBeside) this.#callers++
    this.#departures.joined(this.#callers)
    return value
  }
}

/** Milliseconds since the departure before, and since the last call joined (default: all of the former). */
export type Gathering = { everyMs: number; quietMs?: number }

/**
 * When calls that gather leave together: a tick of the event loop alone holds one or two of a thousand a second. The first of
 * an idle period leaves at the end of its tick, later ones after `everyMs`, after `quietMs` without another, or when they are
 * `enough`. One that comes when the last one left alone and is answered does not wait; a call that hangs delays no other.
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

  /** `leave` takes all that waits, and resolves when it is answered or has failed. */
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
