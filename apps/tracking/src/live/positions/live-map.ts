import { SHARD_COUNT, shardOf } from '@palanquin/domain/ids'
import { erasureTokens } from '@palanquin/service/erasure-token'
import { matchesToken } from '../../erasure/token-store.ts'
import { NO_SLOT, type People } from '../../people/people.ts'
import { HIDDEN, type PublicState } from '../public-state.ts'
import { createChangeLog } from './change-log.ts'
import { type Cursor, type EntryNumber, isAfter, STREAM_START } from './cursor.ts'
import type { LivePosition, PositionUpdate } from './live-position.ts'
import { PendingCheckins } from './pending-checkins.ts'
import { NO_BATTERY, PositionColumns, SHOWN } from './position-columns.ts'
import { PositionSlots, shownOf } from './position-slots.ts'
import { createRecentErasures } from './recent-erasures.ts'
import { RowCache } from './row-cache.ts'
import { ShardMovements } from './shard-movements.ts'

/** An erased participant by shard and erasure token, and the last stream entry that may be of them. */
export type PositionErasure = { shard: number; token: string; upTo: EntryNumber }

export type LiveMap = ReturnType<typeof createLiveMap>

type Options = {
  /** Shared with the view of participants. */
  people: People
  pseudonymSecret: string
  /** What the public may know of a participant, and since when. */
  stateOf: (userId: string) => PublicState
  /** The time of PostgreSQL, in epoch ms, up to which changes of participants are known. */
  asOf: () => number
}

/**
 * The latest position of every participant, in memory, by slot. It is fed by the buffer streams, which every process
 * reads in the same order, and by the tracks in PostgreSQL.
 */
export function createLiveMap({ people, pseudonymSecret, stateOf, asOf }: Options) {
  const columns = new PositionColumns()
  const slots = new PositionSlots(people, columns, pseudonymSecret)
  const movements = new ShardMovements(columns)
  const pending = new PendingCheckins()
  const rows = new RowCache()
  const changes = createChangeLog({
    asOf,
    pseudonymOf: (slot) => columns.pseudonymOf(slot),
    earlierOf: (slot) => slots.earlierPseudonyms(slot),
    isHidden: (slot) => !columns.shows(slot, SHOWN.public) || columns.shows(slot, SHOWN.anonymous),
  })
  const flushed: EntryNumber[] = Array.from({ length: SHARD_COUNT }, () => STREAM_START)
  const tokenOf = erasureTokens(pseudonymSecret)
  const erasures = createRecentErasures(tokenOf)
  let version = 0

  const movedAt = (slot: number): EntryNumber => [
    columns.movedMs[slot] ?? 0,
    columns.movedSequence[slot] ?? 0,
  ]

  const invalidate = (slot: number): void => {
    version++
    rows.delete(slot)
  }

  const remove = (slot: number): void => {
    movements.remove(people.shardOf(slot), slot)
    pending.drop(columns.pending[slot] ?? 0)
    changes.forget(slot)
    changes.add({ id: columns.pseudonymOf(slot), slot: NO_SLOT })
    invalidate(slot)
    slots.release(slot)
  }

  const withToken = function* (shard: number, token: string): Generator<number> {
    const isErased = matchesToken({ shard, mark: token }, tokenOf)
    for (const slot of slots.all())
      if (people.shardOf(slot) === shard && isErased(people.idOf(slot))) yield slot
  }

  /** The first point may have arrived before those that this process has read. */
  const noteFirst = (slot: number, firstS: number): void => {
    columns.firstS[slot] = Math.min(columns.firstS[slot] ?? 0, firstS)
  }

  /** Gives the slot another pseudonym where the participant has another version; true where the public saw the one before. */
  const changeId = (
    slot: number,
    { publicVersion, changedAt: at }: PublicState,
    { wasPublic }: { wasPublic: boolean },
  ): boolean => {
    if (publicVersion === null || publicVersion === columns.publicVersion[slot]) return false
    const id = columns.pseudonymOf(slot)
    slots.setPseudonym(slot, publicVersion)
    if (!wasPublic) return false
    changes.add({ id, slot, hasMoved: true, at })
    return true
  }

  /** What was counted before the erasure is not the new participant's. */
  const resetTotals = (slot: number, upTo: EntryNumber): void => {
    columns.km[slot] = columns.checkins[slot] = 0
    columns.firstS[slot] = secondOf(movedAt(slot))
    columns.pending[slot] = pending.keepAfter(columns.pending[slot] ?? 0, upTo)
    invalidate(slot)
  }

  /** Readers who have followed a shard beyond an entry do not find it among the movements. */
  const noteLateEntry = (slot: number): void => {
    if (changes.isSeeded() && !isAfter(movedAt(slot), movements.seen(people.shardOf(slot))))
      changes.add({ id: columns.pseudonymOf(slot), slot, hasMoved: true })
  }

  const update = (
    userId: string,
    { lat, lng, recordedAt, accuracy, battery, entry }: PositionUpdate,
  ): number => {
    const known = slots.slotOf(userId)
    if (known !== NO_SLOT && recordedAt <= (columns.recordedAt[known] ?? 0)) return known
    if (known === NO_SLOT && erasures.covers(userId, entry)) return NO_SLOT
    const state = known === NO_SLOT ? stateOf(userId) : HIDDEN
    const slot = known === NO_SLOT ? slots.place(userId, state.publicVersion ?? 0) : known
    columns.lat[slot] = lat
    columns.lng[slot] = lng
    columns.recordedAt[slot] = recordedAt
    columns.accuracyM[slot] = accuracy ?? Number.NaN
    columns.movedMs[slot] = entry[0]
    columns.movedSequence[slot] = entry[1]
    if (battery !== undefined) columns.battery[slot] = battery
    slots.grid.place(slot)
    if (known === NO_SLOT) {
      columns.firstS[slot] = secondOf(entry)
      slots.show(slot, shownOf(state))
    }
    movements.add(people.shardOf(slot), slot, known === NO_SLOT)
    noteLateEntry(slot)
    invalidate(slot)
    return slot
  }

  const get = (userId: string): LivePosition | undefined => {
    const slot = slots.slotOf(userId)
    if (slot === NO_SLOT) return undefined
    const accuracyM = columns.accuracyM[slot] ?? Number.NaN
    const battery = columns.battery[slot] ?? NO_BATTERY
    return {
      lat: columns.lat[slot] ?? 0,
      lng: columns.lng[slot] ?? 0,
      recordedAt: columns.recordedAt[slot] ?? 0,
      accuracyM: Number.isNaN(accuracyM) ? null : accuracyM,
      battery: battery === NO_BATTERY ? null : battery,
    }
  }

  return {
    /**
     * Applies a position if it is later than the known one (greater `recordedAt`; of equal ones the first stays), and
     * gives the slot. `NO_SLOT` for a position from before the participant was erased.
     */
    update,
    /** A device was joined to a person: its position is theirs, if it is the later one, and no longer the device's. */
    join: ({ deviceId, userId }: { deviceId: string; userId: string }): void => {
      const device = get(deviceId)
      if (!device) return
      const firstS = columns.firstS[slots.slotOf(deviceId)] ?? 0
      remove(slots.slotOf(deviceId))
      const { lat, lng, recordedAt, accuracyM: accuracy, battery } = device
      const entry = movements.seen(shardOf(userId))
      update(userId, { lat, lng, recordedAt, accuracy, battery: battery ?? undefined, entry })
      noteFirst(slots.slotOf(userId), firstS)
    },
    /** Applies a change of a participant's consent, visibility or status; `renamed`: or of the name. */
    participantChanged: (userId: string, { renamed = false }: { renamed?: boolean } = {}): void => {
      const slot = slots.slotOf(userId)
      if (slot === NO_SLOT) return
      invalidate(slot)
      const before = columns.shown[slot] ?? 0
      const state = stateOf(userId)
      const after = shownOf(state)
      slots.show(slot, after)
      if (changeId(slot, state, { wasPublic: (before & SHOWN.public) !== 0 })) return
      const isOther = ((before ^ after) & (SHOWN.public | SHOWN.named)) !== 0
      if (isOther || (renamed && (after & SHOWN.named) !== 0))
        changes.add({ id: columns.pseudonymOf(slot), slot, at: state.changedAt })
    },
    /** Counts a check-in of the stream for the level until it is flushed. */
    addPendingCheckin: (slot: number, entry: EntryNumber, recordedAt: number): void => {
      if (!isAfter(entry, flushed[people.shardOf(slot)] ?? STREAM_START)) return
      columns.pending[slot] = pending.add(columns.pending[slot] ?? 0, entry, recordedAt)
      invalidate(slot)
    },
    /** Sets the totals of a flush, which include the pending check-ins up to its cursor. */
    setTotals: (
      slot: number,
      totals: { km: number; checkins: number; firstMs: number },
      cursor: EntryNumber,
    ): void => {
      noteFirst(slot, secondOf([totals.firstMs, 0]))
      columns.km[slot] = totals.km
      columns.checkins[slot] = totals.checkins
      flushed[people.shardOf(slot)] = cursor
      columns.pending[slot] = pending.keepAfter(columns.pending[slot] ?? 0, cursor)
      invalidate(slot)
    },
    /** Removes an erased participant; a position after `upTo` stays, as that of a new participant. */
    erase: ({ shard, token, upTo }: PositionErasure): void => {
      erasures.add({ shard, token, upTo })
      for (const slot of withToken(shard, token))
        if (isAfter(movedAt(slot), upTo)) resetTotals(slot, upTo)
        else remove(slot)
    },
    /** The same for an erasure of which only the time is known. */
    eraseByTime: ({ shard, token, atMs }: { shard: number; token: string; atMs: number }): void => {
      for (const slot of withToken(shard, token)) if ((columns.movedMs[slot] ?? 0) <= atMs) remove(slot)
    },
    get,
    has: (userId: string): boolean => slots.slotOf(userId) !== NO_SLOT,
    movedAt,
    /** How many check-ins of a slot are not flushed yet. */
    pendingCheckins: (slot: number): number => pending.count(columns.pending[slot] ?? 0),
    columns,
    people,
    slots,
    movements,
    changes,
    rows,
    cursor: (): Cursor => ({ shards: movements.allSeen(), changes: changes.offset() }),
    /** Changes with everything that a response could show. */
    version: () => version,
  }
}

const secondOf = ([ms]: EntryNumber): number => Math.floor(ms / 1_000)
