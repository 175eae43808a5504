import type { Database, Parameter } from '@palanquin/db/client'
import type { EventData } from '@palanquin/domain/events'
import type { ParticipantStatus } from '@palanquin/domain/participant'
import type { Log } from '@palanquin/service/log'
import type { ErasureTokenOf } from '../erasure/token.ts'
import { matchesToken } from '../erasure/token-store.ts'

const PAGE_PARTICIPANTS = 10_000
/**
 * What engagement or an event should have said already is read again from PostgreSQL so often: a withdrawal holds within a
 * second (contract 8.13), whatever message was lost.
 */
const REPAIR_EVERY_MS = 500
/**
 * `updated_at` is set when a statement begins and seen when it has ended: look so far back behind the latest, and each so
 * many times as far back as the longest statement takes.
 */
const REPAIR_OVERLAP_S = 3
const REPAIRS_BETWEEN_LONG = 6
const LONG_OVERLAP_S = 30
const READ_DEADLINE_MS = 10_000
/** Somebody's answer waits for it. */
const REFRESH_DEADLINE_MS = 500

export type Participant = {
  displayName: string | null
  consent: boolean
  status: ParticipantStatus
  /** When anything about them changed last, in epoch ms of PostgreSQL's clock. */
  changedAt: number
}
type Row = {
  user_id: string
  display_name: string | null
  consent: boolean
  status: ParticipantStatus
  updated_at: Date
  read_at: Date
}
/** `read_at`: what was committed before that is known then. */
const COLUMNS = 'user_id, display_name, consent, status, updated_at, statement_timestamp() AS read_at'

/** What events told while a read was under way. */
type Told = { changed: Set<string>; erased: ((userId: string) => boolean)[] }

export type Participants = ReturnType<typeof followParticipants>

/**
 * Who takes part, in memory: whether they have withdrawn, whether they are on the public map, and under which name.
 * Kept by events, and by what PostgreSQL says has changed lately. Somebody who is not in it has never been heard of.
 */
export function followParticipants({
  db,
  tokenOf,
  log,
}: {
  db: Database
  tokenOf: ErasureTokenOf
  log: Log
}) {
  const known = new Map<string, Participant>()
  const listeners = new Set<(userId: string) => void>()
  let timer: ReturnType<typeof setInterval> | undefined
  let repairing: Promise<void> | undefined
  let loaded = false
  let everLoaded = false
  let repairs = 0
  let away = false
  let knownUpTo = 0

  /** What events told while a read was under way: what the read found is older. */
  const readsUnderWay = new Set<Told>()

  const put = (userId: string, participant: Participant | null): void => {
    if (participant) known.set(userId, participant)
    else known.delete(userId)
    for (const listener of listeners) listener(userId)
  }

  const putRow = ({
    user_id,
    display_name: displayName,
    consent,
    status,
    updated_at,
    read_at,
  }: Row): void => {
    const changedAt = updated_at.getTime()
    knownUpTo = Math.max(knownUpTo, changedAt, read_at.getTime())
    const before = known.get(user_id)
    if (before?.displayName === displayName && before.consent === consent && before.status === status)
      before.changedAt = changedAt
    else put(user_id, { displayName, consent, status, changedAt })
  }

  const tell = (userId: string, participant: Participant): void => {
    for (const told of readsUnderWay) told.changed.add(userId)
    put(userId, participant)
  }

  /** Whom a mark stands for, only looking through all of them tells: some 20 ms of a hundred thousand. */
  const forget = (erased: { shard: number; mark: string }): void => {
    const isThem = matchesToken(erased, tokenOf)
    for (const told of readsUnderWay) told.erased.push(isThem)
    for (const userId of known.keys()) if (isThem(userId)) put(userId, null)
  }

  const read = async (statement: string, parameters: Parameter[]): Promise<Row[]> => {
    const told: Told = { changed: new Set(), erased: [] }
    readsUnderWay.add(told)
    try {
      const rows = await db.query<Row>(statement, parameters, { deadlineMs: READ_DEADLINE_MS })
      for (const row of rows)
        if (!told.changed.has(row.user_id) && !told.erased.some((isThem) => isThem(row.user_id))) putRow(row)
      return rows
    } finally {
      readsUnderWay.delete(told)
    }
  }

  /** Who is not among them any more was erased while nobody told us. */
  const load = async (): Promise<void> => {
    const before = new Set(known.keys())
    let after = ''
    for (;;) {
      const rows: Row[] = await read(
        `SELECT ${COLUMNS} FROM engagement.participants
          WHERE user_id > $1 ORDER BY user_id LIMIT $2`,
        [after, PAGE_PARTICIPANTS],
      )
      for (const { user_id } of rows) before.delete(user_id)
      const last = rows.at(-1)
      if (!last || rows.length < PAGE_PARTICIPANTS) break
      after = last.user_id
    }
    for (const userId of before) put(userId, null)
    loaded = true
    everLoaded = true
  }

  const readChanged = () => {
    const isLong = repairs++ % REPAIRS_BETWEEN_LONG === 0
    return read(
      `SELECT ${COLUMNS} FROM engagement.participants
        WHERE updated_at > (SELECT max(updated_at) FROM engagement.participants) - $1::integer * interval '1 second'`,
      [isLong ? LONG_OVERLAP_S : REPAIR_OVERLAP_S],
    )
  }

  /** Reads one participant now. @throws StoreUnavailable */
  const refresh = async (userId: string): Promise<void> => {
    const [row] = await db.query<Row>(
      `SELECT ${COLUMNS} FROM engagement.participants WHERE user_id = $1`,
      [userId],
      { deadlineMs: REFRESH_DEADLINE_MS },
    )
    for (const told of readsUnderWay) told.changed.add(userId)
    if (row) putRow(row)
  }

  const repair = async (): Promise<void> => {
    try {
      await (loaded ? readChanged() : load())
      away = false
    } catch (error) {
      // After an outage the overlap may be too short for what was missed.
      loaded = false
      if (!away) log.warn({ reason: String(error) }, 'participants are not followed while PostgreSQL is away')
      away = true
    }
  }

  return {
    get: (userId: string): Participant | undefined => known.get(userId),
    /** Whether everybody has been read since this process began. */
    isKnown: (): boolean => everLoaded,
    /** Calls back with every participant who changed. */
    onChange: (listener: (userId: string) => void): void => {
      listeners.add(listener)
    },
    changed: (
      { userId, displayName, consent, status }: EventData<'participant.changed'>,
      { at }: { at: string },
    ): void => {
      const changedAt = Date.parse(at)
      knownUpTo = Math.max(knownUpTo, changedAt)
      // An event may come behind what was read of a later change.
      if ((known.get(userId)?.changedAt ?? 0) > changedAt) return
      tell(userId, { displayName, consent, status, changedAt })
    },
    /** Up to when changes are known, in epoch ms of PostgreSQL's clock; 0 before anything was read. */
    asOf: (): number => knownUpTo,
    erased: forget,
    refresh,
    /** Reads everybody anew. @throws StoreUnavailable */
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
