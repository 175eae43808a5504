import { type EntryNumber, isAfter } from './cursor.ts'
import type { LivePosition } from './live-position.ts'

type Movement = { entry: EntryNumber; position: LivePosition }

/** The log is compacted once it has twice as many movements as positions, and this many more. */
const SLACK = 1_024

/**
 * The movements of one shard in the order of their entries; only the latest of each participant counts. Nearly all are
 * appended; those out of order (read from PostgreSQL) are sorted in at the next read.
 */
export function createMovementLog() {
  let log: Movement[] = []
  let positions = 0
  let sorted = true

  const isLatest = ({ entry, position }: Movement): boolean => position.movedAt === entry

  const compact = (): void => {
    if (log.length > 2 * positions + SLACK) log = log.filter(isLatest)
  }
  const tidy = (): void => {
    compact()
    if (!sorted) log.sort((a, b) => (isAfter(a.entry, b.entry) ? 1 : isAfter(b.entry, a.entry) ? -1 : 0))
    sorted = true
  }

  /** The index of the first movement after an entry. */
  const firstAfter = (entry: EntryNumber): number => {
    let low = 0
    let high = log.length
    while (low < high) {
      const middle = (low + high) >>> 1
      const at = log[middle]
      if (at && isAfter(at.entry, entry)) high = middle
      else low = middle + 1
    }
    return low
  }

  return {
    /** Logged movements, outdated ones included. */
    size: (): number => log.length,
    /** Logs a movement to `position.movedAt`; `isNew` when the participant was not in this log before. */
    add: (position: LivePosition, isNew: boolean): void => {
      const last = log.at(-1)
      if (last && isAfter(last.entry, position.movedAt)) sorted = false
      log.push({ entry: position.movedAt, position })
      if (isNew) positions++
      compact() // here too: hours may pass without a read
    },
    remove: (position: LivePosition): void => {
      log = log.filter((movement) => movement.position !== position)
      positions--
    },
    /** How many movements after an entry are logged, outdated ones included: an upper bound of what `since` gives. */
    countSince: (entry: EntryNumber): number => {
      tidy()
      return log.length - firstAfter(entry)
    },
    /** Positions that moved after an entry, in the order of their movements. */
    since: function* (entry: EntryNumber): Generator<LivePosition> {
      tidy()
      const snapshot = log
      for (let at = firstAfter(entry); at < snapshot.length; at++) {
        const movement = snapshot[at]
        if (movement && isLatest(movement)) yield movement.position
      }
    },
  }
}
