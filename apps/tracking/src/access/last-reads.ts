import { ANY_WRITER, type ReadMoment } from './participants-store.ts'

/**
 * `updated_at` is set when a statement begins and visible when it has ended: so a read looks so far back behind the
 * read before it, and each so many times behind the last such read, by what the longest statement takes.
 */
const OVERLAP_S = 3
const READS_BETWEEN_LONG = 6
const LONG_OVERLAP_S = 30

/** From when on a read looks for changes, and by which transactions. */
export type ReadFrom = { since: number; overlapS: number; oldestWriter: string }

/**
 * Which reads of changes there were, and so what the next one need not read again: rows that were visible to the last read
 * of its kind. After a doubt it reads all rows within its time.
 */
export class LastReads {
  #last: ReadMoment = { readAt: 0, oldestWriter: ANY_WRITER }
  #lastLong: ReadMoment = this.#last
  #reads = 0
  #doubts = 0

  /**
   * Begins a read of changes. `done` says that all it found was kept; a doubt that came meanwhile holds for the next reads too.
   */
  begin(moment: ReadMoment): ReadFrom & { done: () => void } {
    const isLong = this.#reads++ % READS_BETWEEN_LONG === 0
    const { readAt, oldestWriter } = isLong ? this.#lastLong : this.#last
    const doubts = this.#doubts
    const done = (): void => this.#note(doubts === this.#doubts ? moment : withDoubt(moment), { isLong })
    return { since: readAt, overlapS: isLong ? LONG_OVERLAP_S : OVERLAP_S, oldestWriter, done }
  }

  /** All rows were read, page by page, from this moment on. */
  all(moment: ReadMoment): void {
    this.#note(withDoubt(moment), { isLong: true })
  }

  /** What was read may have been overwritten by something older: an event or a read that crossed it. */
  doubt(): void {
    this.#doubts++
    this.#last = withDoubt(this.#last)
    this.#lastLong = withDoubt(this.#lastLong)
  }

  #note(moment: ReadMoment, { isLong }: { isLong: boolean }): void {
    this.#last = moment
    if (isLong) this.#lastLong = moment
  }
}

const withDoubt = ({ readAt }: ReadMoment): ReadMoment => ({ readAt, oldestWriter: ANY_WRITER })
