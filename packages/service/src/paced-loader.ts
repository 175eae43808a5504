import { chunk } from './chunk.ts'
import { Departures } from './departures.ts'

type Waiting<K, V> = { key: K; resolve: (value: V) => void; reject: (reason: unknown) => void }

/**
 * As `BatchLoader`, for keys that come one by one: those of some milliseconds are loaded in one call (`Departures`). Nothing is
 * cached.
 */
export class PacedLoader<K, V> {
  readonly #loadAll: (keys: readonly K[]) => Promise<readonly V[]>
  readonly #sizeMax: number
  readonly #departures: Departures
  #waiting: Waiting<K, V>[] = []
  #callers = 0

  /** `loadAll` gives as many values, in the order of the keys; `sizeMax` keys at most of one call. */
  constructor({
    loadAll,
    sizeMax,
    everyMs,
  }: { loadAll: (keys: readonly K[]) => Promise<readonly V[]>; sizeMax: number; everyMs: number }) {
    this.#loadAll = loadAll
    this.#sizeMax = sizeMax
    this.#departures = new Departures({ everyMs, leave: () => this.#leave() })
  }

  /** Rejects as the call does that its key is part of. `isBeside`: a second key of a caller, who is counted once. */
  load(key: K, { isBeside = false } = {}): Promise<V> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ key, resolve, reject })
      if (!isBeside) this.#callers++
      this.#departures.joined(this.#callers)
    })
  }

  #leave(): Promise<unknown> {
    const waiting = this.#waiting
    this.#waiting = []
    this.#callers = 0
    return Promise.all(chunk(waiting, this.#sizeMax).map((group) => this.#load(group)))
  }

  async #load(group: readonly Waiting<K, V>[]): Promise<void> {
    try {
      const values = await this.#loadAll(group.map(({ key }) => key))
      if (values.length !== group.length)
        throw new RangeError(`${values.length} values of ${group.length} keys`)
      values.forEach((value, at) => {
        group[at]?.resolve(value)
      })
    } catch (error) {
      for (const { reject } of group) reject(error)
    }
  }
}
