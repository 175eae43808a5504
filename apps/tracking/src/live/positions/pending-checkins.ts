import { lengthFor, longerFloats, longerWords } from '../../people/columns.ts'
import type { EntryNumber } from './cursor.ts'

const STEP = 8_192
const END = 0

/**
 * Check-ins in the streams that are not flushed yet: of each participant a list, named by its first one (0: none). All
 * lists share three columns, which are given back when a flush has emptied them.
 */
export class PendingCheckins {
  #ms = new Float64Array(0)
  #sequence = new Uint32Array(0)
  #recordedAt = new Float64Array(0)
  /** The next one of the same list, or the next that is free. */
  #next = new Uint32Array(0)
  #free = END
  #used = 0
  #made = 0

  /** Adds a check-in, and returns what now names the list. */
  add(list: number, [ms, sequence]: EntryNumber, recordedAt: number): number {
    const one = this.#take()
    this.#ms[one] = ms
    this.#sequence[one] = sequence
    this.#recordedAt[one] = recordedAt
    this.#next[one] = list
    return one
  }

  /** Drops the check-ins up to an entry, and returns what now names the list. */
  keepAfter(list: number, [ms, sequence]: EntryNumber): number {
    let kept = END
    for (let one = list; one !== END; ) {
      const next = this.#next[one] ?? END
      const oneMs = this.#ms[one] ?? 0
      if (oneMs > ms || (oneMs === ms && (this.#sequence[one] ?? 0) > sequence)) {
        this.#next[one] = kept
        kept = one
      } else this.#drop(one)
      one = next
    }
    return kept
  }

  drop(list: number): void {
    this.keepAfter(list, [Number.POSITIVE_INFINITY, 0])
  }

  /** How many check-ins a list has, those of one time counted once. */
  count(list: number): number {
    if (list === END) return 0
    const first = this.#next[list] ?? END
    if (first === END) return 1
    const times = new Set<number>()
    for (let one = list; one !== END; one = this.#next[one] ?? END) times.add(this.#recordedAt[one] ?? 0)
    return times.size
  }

  /** Check-ins in all lists. */
  size(): number {
    return this.#used
  }

  #take(): number {
    this.#used++
    const free = this.#free
    if (free !== END) {
      this.#free = this.#next[free] ?? END
      return free
    }
    const one = ++this.#made
    if (one >= this.#ms.length) this.#resize(lengthFor(one, STEP))
    return one
  }

  #drop(one: number): void {
    this.#ms[one] = 0
    this.#sequence[one] = 0
    this.#recordedAt[one] = 0
    this.#next[one] = this.#free
    this.#free = one
    if (--this.#used > 0) return
    this.#free = END
    this.#made = 0
    this.#ms = this.#recordedAt = new Float64Array(0)
    this.#sequence = this.#next = new Uint32Array(0)
  }

  #resize(length: number): void {
    this.#ms = longerFloats(this.#ms, length)
    this.#recordedAt = longerFloats(this.#recordedAt, length)
    this.#sequence = longerWords(this.#sequence, length)
    this.#next = longerWords(this.#next, length)
  }
}
