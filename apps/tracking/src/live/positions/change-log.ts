import type { Seen } from './cursor.ts'
import type { LivePosition } from './live-position.ts'

/** Changes that are remembered; who saw the map before them is told by the times of changes, or given it anew. */
const CHANGES_MAX = 10_000
/**
 * A change is seen when its statement has ended and bears the time at which it began: look so far back for who is to be
 * removed. Who appeared and is missed so is there at the next step.
 */
const OVERLAP_MS = 30_000
/** Of before a process began it remembers so much, for readers that come from the one before. */
const REMEMBERED_MS = 3_600_000
/** An erasure bears the time of the machine that began it, whose clock may be wrong. */
const ERASURE_OVERLAP_MS = 2 * 3_600_000

/** Somebody appeared or is to be removed: the one of the position as it is now, or nobody any more (erased). */
export type Change = { readonly id: string; readonly position: LivePosition | null }
/** Somebody whose position is known, and when anything about them changed last (epoch ms of PostgreSQL). */
export type State = { readonly position: LivePosition; readonly changedAt: number }
type Noted = Change & { readonly number: number; readonly at: number }

export type ChangeLog = ReturnType<typeof changeLog>

/**
 * Who appeared on the map or left it, other than by moving: consent given or taken back, withdrawn or come back, erased.
 * What a delta tells beside the movements.
 */
export function changeLog({
  process = crypto.getRandomValues(new Uint32Array(1))[0] ?? 0,
  asOf,
}: {
  process?: number
  /** The time of PostgreSQL, in epoch ms, up to which changes are known. */
  asOf: () => number
}) {
  const log: Noted[] = []
  let last = 0
  /** From here on by time the log has everything. */
  let completeFrom = Number.POSITIVE_INFINITY
  /** The last erasure whose pseudonym this process cannot tell. */
  let unknownErasureAt = Number.NEGATIVE_INFINITY

  const drop = (count: number): void => {
    for (const { at, position } of log.splice(0, count)) {
      completeFrom = Math.max(completeFrom, at)
      if (position === null) unknownErasureAt = Math.max(unknownErasureAt, at)
    }
  }

  const isOwn = ({ process: of, number }: Seen): boolean =>
    of === process && number <= last && number >= (log[0]?.number ?? last + 1) - 1

  const isUnknown = ({ asOf: knownUpTo }: Seen): boolean => unknownErasureAt > knownUpTo - ERASURE_OVERLAP_MS

  return {
    /** Everybody's state is known by now; of whom and when it changed last. Done once. */
    begin: (states: Iterable<State>): void => {
      if (completeFrom !== Number.POSITIVE_INFINITY) return
      completeFrom = asOf() - REMEMBERED_MS
      const lately = [...states]
        .filter(({ changedAt }) => changedAt > completeFrom)
        .sort((a, b) => a.changedAt - b.changedAt)
      const before = lately.map(({ position, changedAt }) => ({
        ...{ id: position.id, position, at: changedAt, number: ++last },
      }))
      log.unshift(...before)
      if (log.length > CHANGES_MAX) drop(log.length - CHANGES_MAX)
    },
    /** `at`: when, in epoch ms of PostgreSQL; about now where nobody says. */
    note: ({ at = asOf(), ...change }: Change & { at?: number | undefined }): void => {
      log.push({ ...change, number: ++last, at })
      if (log.length > 2 * CHANGES_MAX) drop(CHANGES_MAX)
    },
    /** Somebody was erased at a time whom this process never had, or does not know any more. */
    noteUnknownErasure: (at: number): void => {
      unknownErasureAt = Math.max(unknownErasureAt, at)
    },
    /** What it takes to answer a reader from there: the log, a look at everybody, or the whole map. */
    reach: (seen: Seen | null): 'log' | 'everybody' | 'whole map' => {
      if (!seen) return 'whole map'
      if (isOwn(seen)) return 'log'
      if (isUnknown(seen)) return 'whole map'
      return seen.asOf - OVERLAP_MS >= completeFrom ? 'log' : 'everybody'
    },
    seen: (): Seen => ({ process, number: last, asOf: asOf() }),
    /**
     * What changed behind a place, oldest first; `states` is everybody, for what the log does not reach back to. Null when it cannot be told: then the reader needs the whole map.
     */
    since: (seen: Seen, states: () => Iterable<State>): readonly Change[] | null => {
      if (isOwn(seen)) return log.slice(seen.number - (log[0]?.number ?? last + 1) + 1)
      if (isUnknown(seen)) return null
      const from = seen.asOf - OVERLAP_MS
      const concerns = (position: LivePosition | null, at: number): boolean =>
        at > seen.asOf || (at > from && !position?.isPublic)
      const later = log.filter(({ position, at }) => concerns(position, at))
      if (from >= completeFrom) return later
      const found: Change[] = later.filter(({ position }) => position === null)
      for (const { position, changedAt } of states())
        if (concerns(position, changedAt)) found.push({ id: position.id, position })
      return found
    },
  }
}
