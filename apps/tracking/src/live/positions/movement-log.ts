import { type EntryNumber, isPending } from './cursor.ts'
import type { LivePosition } from './live-position.ts'

type Movement = { entry: EntryNumber; position: LivePosition }

/** The log is cleared of overtaken movements once it is so much longer than there are positions. */
const SLACK = 1_024

/**
 * The movements of one shard in the order of their entries; of each participant only the latest counts. Appending is what
 * happens nearly always; what comes out of order (read from PostgreSQL) is sorted in at the next look.
 */
export function movementLog() {
  let log: Movement[] = []
  let positions = 0
  let sorted = true

  const isCurrent = ({ entry, position }: Movement): boolean => position.movedAt === entry

  const clear = (): void => {
    if (log.length > 2 * positions + SLACK) log = log.filter(isCurrent)
  }
  const tidy = (): void => {
    clear()
    if (!sorted) log.sort((a, b) => (isPending(a.entry, b.entry) ? 1 : isPending(b.entry, a.entry) ? -1 : 0))
    sorted = true
  }

  /** The place of the first movement behind an entry. */
  const firstBehind = (entry: EntryNumber): number => {
    let low = 0
    let high = log.length
    while (low < high) {
      const middle = (low + high) >>> 1
      const at = log[middle]
      if (at && isPending(at.entry, entry)) high = middle
      else low = middle + 1
    }
    return low
  }

  return {
    /** Movements that are kept, overtaken ones among them. */
    size: (): number => log.length,
    /** Notes where `position.movedAt` says; `isNew` when the participant was not in this log before. */
    add: (position: LivePosition, isNew: boolean): void => {
      const last = log.at(-1)
      if (last && isPending(last.entry, position.movedAt)) sorted = false
      log.push({ entry: position.movedAt, position })
      if (isNew) positions++
      clear() // here too: perhaps nobody looks at the map for hours
    },
    remove: (position: LivePosition): void => {
      log = log.filter((movement) => movement.position !== position)
      positions--
    },
    /** How many movements behind an entry are kept, overtaken ones among them: at least as many as `since` gives. */
    countSince: (entry: EntryNumber): number => {
      tidy()
      return log.length - firstBehind(entry)
    },
    /** Who moved behind an entry, in the order of their movements. */
    since: function* (entry: EntryNumber): Generator<LivePosition> {
      tidy()
      const snapshot = log
      for (let at = firstBehind(entry); at < snapshot.length; at++) {
        const movement = snapshot[at]
        if (movement && isCurrent(movement)) yield movement.position
      }
    },
  }
}

export type MovementLog = ReturnType<typeof movementLog>
