import { NO_SLOT } from '../../people/people.ts'
import type { ChangeOffset } from './cursor.ts'

/** Changes kept in memory; older ones are found by their times, or by a reset of the reader. */
const CHANGES_MAX = 10_000
/**
 * `updated_at` is the time at which a statement began, and its change is visible when it ended: a removal is looked for
 * so far back.
 */
const OVERLAP_MS = 30_000
/** Changes from before the process began are loaded so far back, for readers that come from another process. */
const SEEDED_MS = 3_600_000
/** An erasure bears the time of the machine that began it, whose clock may be wrong. */
const ERASURE_OVERLAP_MS = 2 * 3_600_000

/**
 * A participant, by the pseudonym of that time, became public, is shown under another name, or is to be removed; `NO_SLOT`: was erased.
 * `hasMoved`: to a place of an entry that readers may have passed already, or to another pseudonym.
 */
export type Change = { readonly id: string; readonly slot: number; readonly hasMoved?: boolean }
/** A participant with a known position, and when anything about them changed last (epoch ms of PostgreSQL). */
export type ParticipantState = { readonly slot: number; readonly changedAt: number }
type LoggedChange = Omit<Change, 'slot'> & { slot: number; readonly number: number; readonly at: number }

/**
 * Who appeared on the map or left it, other than by moving, or is shown under another name: consent given or taken back,
 * another visibility, withdrawn or come back, erased.
 */
export function createChangeLog({
  process = crypto.getRandomValues(new Uint32Array(1))[0] ?? 0,
  asOf,
  pseudonymOf,
  earlierOf,
  isHidden,
}: {
  process?: number
  pseudonymOf: (slot: number) => string
  /** Pseudonyms that a slot had before. */
  earlierOf: (slot: number) => Iterable<string>
  /** Whether the position or its name is hidden, so that a late change may have hidden it and must not be missed. */
  isHidden: (slot: number) => boolean
  /** The time of PostgreSQL, in epoch ms, up to which changes are known. */
  asOf: () => number
}) {
  const log: LoggedChange[] = []
  let last = 0
  /** The log has every change from this time on. */
  let completeFrom = Number.POSITIVE_INFINITY
  /** The last erasure whose pseudonym this process does not know. */
  let unknownErasureAt = Number.NEGATIVE_INFINITY

  const drop = (count: number): void => {
    for (const { at, slot } of log.splice(0, count)) {
      completeFrom = Math.max(completeFrom, at)
      if (slot === NO_SLOT) unknownErasureAt = Math.max(unknownErasureAt, at)
    }
  }

  /** Of a participant whose changes this process did not see. */
  const changesOf = (slot: number): Change[] => [
    ...Array.from(earlierOf(slot), (id) => ({ id, slot })),
    { id: pseudonymOf(slot), slot },
  ]

  const isInLog = ({ process: of, number }: ChangeOffset): boolean =>
    of === process && number <= last && number >= (log[0]?.number ?? last + 1) - 1

  const missesErasure = ({ asOf: knownUpTo }: ChangeOffset): boolean =>
    unknownErasureAt > knownUpTo - ERASURE_OVERLAP_MS

  return {
    /** Loads the changes of the last hour, once, when the state of all participants is known. */
    seed: (states: Iterable<ParticipantState>): void => {
      if (completeFrom !== Number.POSITIVE_INFINITY) return
      completeFrom = asOf() - SEEDED_MS
      const recent: ParticipantState[] = []
      for (const state of states) if (state.changedAt > completeFrom) recent.push(state)
      recent.sort((a, b) => a.changedAt - b.changedAt)
      for (const { changedAt } of recent.splice(0, Math.max(0, recent.length - CHANGES_MAX)))
        completeFrom = Math.max(completeFrom, changedAt)
      const seeded = recent.flatMap(({ slot, changedAt: at }) =>
        changesOf(slot).map((change) => ({ ...change, at, number: ++last })),
      )
      log.unshift(...seeded)
      if (log.length > CHANGES_MAX) drop(log.length - CHANGES_MAX)
    },
    /** Whether the changes of the last hour are loaded: before that there are no readers. */
    isSeeded: (): boolean => completeFrom !== Number.POSITIVE_INFINITY,
    /** `at`: epoch ms of PostgreSQL; about now if left out. */
    add: ({ at = asOf(), ...change }: Change & { at?: number | undefined }): void => {
      log.push({ ...change, number: ++last, at })
      if (log.length > 2 * CHANGES_MAX) drop(CHANGES_MAX)
    },
    /** A slot is about to be used by somebody else: what is logged of it is of somebody erased. */
    forget: (slot: number): void => {
      for (const change of log) if (change.slot === slot) change.slot = NO_SLOT
    },
    /** Notes the time of an erasure of a participant whose pseudonym this process does not know. */
    addUnknownErasure: (at: number): void => {
      unknownErasureAt = Math.max(unknownErasureAt, at)
    },
    /** What a delta from this offset needs: the log, a scan of all participants, or a reset to the whole map. */
    deltaNeeds: (offset: ChangeOffset | null): 'log' | 'scan' | 'reset' => {
      if (!offset) return 'reset'
      if (isInLog(offset)) return 'log'
      if (missesErasure(offset)) return 'reset'
      return offset.asOf - OVERLAP_MS >= completeFrom ? 'log' : 'scan'
    },
    offset: (): ChangeOffset => ({ process, number: last, asOf: asOf() }),
    /**
     * The changes after an offset, oldest first, or null where the reader needs a reset. `states` are all participants,
     * for a scan.
     */
    since: (offset: ChangeOffset, states: () => Iterable<ParticipantState>): readonly Change[] | null => {
      if (isInLog(offset)) return log.slice(offset.number - (log[0]?.number ?? last + 1) + 1)
      if (missesErasure(offset)) return null
      const from = offset.asOf - OVERLAP_MS
      const concerns = (slot: number, at: number): boolean =>
        at > offset.asOf || (at > from && (slot === NO_SLOT || isHidden(slot)))
      const logged = log.filter(({ slot, at }) => concerns(slot, at))
      if (from >= completeFrom) return logged
      const found: Change[] = logged.filter(({ slot }) => slot === NO_SLOT)
      for (const { slot, changedAt } of states())
        if (concerns(slot, changedAt)) found.push(...changesOf(slot))
      return found
    },
  }
}
