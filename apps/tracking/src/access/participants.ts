import type { Database } from '@palanquin/db/client'
import type { EventData } from '@palanquin/domain/events'
import { DEFAULT_VISIBILITY } from '@palanquin/domain/participant'
import type { ErasureTokenOf } from '@palanquin/service/erasure-token'
import type { Log } from '@palanquin/service/log'
import { matchesToken } from '../erasure/token-store.ts'
import { LastReads } from './last-reads.ts'
import { type Participant, ParticipantColumns } from './participant-columns.ts'
import {
  type ChangedRow,
  type ParticipantRow,
  readChanged,
  readMoment,
  readOne,
  readPage,
} from './participants-store.ts'

const PAGE_PARTICIPANTS = 10_000
/** PostgreSQL is read again so often: a withdrawal holds within a second (contract 8.13), whatever event was lost. */
const REPAIR_EVERY_MS = 500
/** What events changed while a read was under way: what the read found is older. */
type ChangedMeanwhile = { userIds: Set<string>; erased: ((userId: string) => boolean)[] }

export type Participants = ReturnType<typeof followParticipants>

type ParticipantsOptions = {
  db: Database
  tokenOf: ErasureTokenOf
  log: Log
  /** Whether display names are read and kept: check-ins are judged without them. */
  names: boolean
}

/** `renamed`: the display name is another one than before. */
type Listener = (userId: string, change: { renamed: boolean }) => void

/**
 * All participants, in memory: whether they have withdrawn, whether they are on the public map, and under which name.
 * Kept up to date by events, and by reading what changed lately. Who is not in it is unregistered.
 */
export function followParticipants({ db, tokenOf, log, names }: ParticipantsOptions) {
  const known = new ParticipantColumns({ names })
  const { people } = known
  const listeners = new Set<Listener>()
  const readsUnderWay = new Set<ChangedMeanwhile>()
  const lastReads = new LastReads()
  let timer: ReturnType<typeof setInterval> | undefined
  let repairing: Promise<void> | undefined
  /** Those whom a read of all participants has not come upon yet, by slot. */
  let unseen: Set<number> | undefined
  let isCurrent = false
  let everLoaded = false
  let isAway = false
  let knownUpTo = 0

  const put = (userId: string, participant: Participant | null): void => {
    unseen?.delete(people.slotOf(userId))
    const before = listeners.size === 0 ? undefined : known.get(userId)
    if (participant) known.put(userId, participant)
    else known.delete(userId)
    const renamed = (before?.displayName ?? null) !== (participant?.displayName ?? null)
    for (const listener of listeners) listener(userId, { renamed })
  }

  const putRow = ({ userId, ...participant }: ParticipantRow): void => {
    knownUpTo = Math.max(knownUpTo, participant.changedAt)
    const before = known.get(userId)
    if (before && isSame(before, participant)) known.setChangedAt(userId, participant.changedAt)
    else put(userId, participant)
  }

  /** Compares the token of every participant: some 20 ms for a hundred thousand. */
  const remove = (erased: { shard: number; mark: string }): void => {
    const isErased = matchesToken(erased, tokenOf)
    for (const changed of readsUnderWay) changed.erased.push(isErased)
    for (const slot of known.slots()) {
      if (people.shardOf(slot) !== erased.shard) continue
      const userId = people.idOf(slot)
      if (!isErased(userId)) continue
      lastReads.doubt() // who has come back since was read before this event
      put(userId, null)
    }
  }

  const putRead = async <Row extends ParticipantRow>(reading: () => Promise<Row[]>): Promise<Row[]> => {
    const changed: ChangedMeanwhile = { userIds: new Set(), erased: [] }
    readsUnderWay.add(changed)
    try {
      const rows = await reading()
      for (const row of rows)
        if (changed.userIds.has(row.userId) || changed.erased.some((isErased) => isErased(row.userId)))
          lastReads.doubt()
        else putRow(row)
      return rows
    } finally {
      readsUnderWay.delete(changed)
    }
  }

  const readAgain = async (): Promise<void> => {
    const moment = await readMoment(db)
    const { done, ...from } = lastReads.begin(moment)
    let after: ChangedRow | undefined
    do {
      const rows = await putRead(() => readChanged(db, { ...from, after, limit: PAGE_PARTICIPANTS, names }))
      after = rows.length < PAGE_PARTICIPANTS ? undefined : rows.at(-1)
    } while (after)
    done()
    knownUpTo = Math.max(knownUpTo, moment.readAt)
  }

  /** Who is no longer there was erased, and the event of it was lost. */
  const load = async (): Promise<void> => {
    const notSeen = new Set<number>(known.slots())
    unseen = notSeen
    const moment = await readMoment(db)
    let after = ''
    for (;;) {
      const rows = await putRead(() => readPage(db, { after, limit: PAGE_PARTICIPANTS, names }))
      for (const { userId } of rows) notSeen.delete(people.slotOf(userId))
      const last = rows.at(-1)
      if (!last || rows.length < PAGE_PARTICIPANTS) break
      after = last.userId
    }
    for (const slot of notSeen) put(people.idOf(slot), null)
    unseen = undefined
    lastReads.all(moment)
    knownUpTo = Math.max(knownUpTo, moment.readAt)
    isCurrent = true
    everLoaded = true
  }

  /** Reads one participant now; a change that is later by PostgreSQL's clock and already known stays. @throws StoreUnavailable */
  const refresh = async (userId: string): Promise<void> => {
    const row = await readOne(db, userId, { names })
    lastReads.doubt() // a read that began later may have been faster; the next read of changes finds what holds
    if (row && (known.get(userId)?.changedAt ?? 0) > row.changedAt) return
    for (const changed of readsUnderWay) changed.userIds.add(userId)
    if (row) putRow(row)
  }

  const repair = async (): Promise<void> => {
    try {
      await (isCurrent ? readAgain() : load())
      isAway = false
    } catch (error) {
      isCurrent = false // after an outage the overlap may be too short for what was missed
      if (!isAway)
        log.warn(
          { event: 'participants.stale', reason: String(error) },
          'Participants are not up to date while PostgreSQL is away',
        )
      isAway = true
    }
  }

  return {
    get: (userId: string): Participant | undefined => known.get(userId),
    /** The same by slot. */
    columns: known,
    /** Whether all participants were read since this process started. */
    isKnown: (): boolean => everLoaded,
    /** Calls back with every participant who changed. */
    onChange: (listener: Listener): void => {
      listeners.add(listener)
    },
    changed: (
      { userId, displayName, consent, status, ...given }: EventData<'participant.changed'>,
      { at }: { at: string },
    ): void => {
      const changedAt = Date.parse(at)
      knownUpTo = Math.max(knownUpTo, changedAt)
      // A later change may have been read before its event arrives.
      const before = known.get(userId)
      if ((before?.changedAt ?? 0) > changedAt) return
      for (const read of readsUnderWay) read.userIds.add(userId)
      if (before) lastReads.doubt() // by the clocks this change is the later one; clocks may have been set back
      const visibility = given.visibility ?? before?.visibility ?? DEFAULT_VISIBILITY
      const publicVersion = given.publicVersion ?? before?.publicVersion ?? 0
      put(userId, { displayName, consent, visibility, status, publicVersion, changedAt })
    },
    /** Up to when changes are known, in epoch ms of PostgreSQL's clock; 0 before anything was read. */
    asOf: (): number => knownUpTo,
    erased: remove,
    refresh,
    /** Reads all participants again. @throws StoreUnavailable */
    load,
    name: 'participants view',
    start: (): void => {
      timer = setInterval(() => {
        repairing ??= repair().finally(() => {
          repairing = undefined
        })
      }, REPAIR_EVERY_MS)
    },
    stop: async (): Promise<void> => {
      clearInterval(timer)
      await repairing
    },
  }
}

const isSame = (a: Participant, b: Participant): boolean =>
  a.displayName === b.displayName &&
  a.consent === b.consent &&
  a.visibility === b.visibility &&
  a.publicVersion === b.publicVersion &&
  a.status === b.status
