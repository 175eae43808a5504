import { SHARD_COUNT, shardOf } from '@palanquin/domain/ids'
import { erasureTokens } from '../../erasure/token.ts'
import { matchesToken } from '../../erasure/token-store.ts'
import { HIDDEN, type PublicState } from '../public-state.ts'
import type { ChangeLog } from './change-log.ts'
import { type Cursor, type EntryNumber, isAfter, STREAM_START } from './cursor.ts'
import { type LivePosition, newPosition, type PositionUpdate } from './live-position.ts'
import { createMovementLog } from './movement-log.ts'
import { createPositionGrid } from './position-grid.ts'
import { createRecentErasures } from './recent-erasures.ts'

/** 96 bits: pseudonyms neither collide nor can be guessed. */
const PSEUDONYM_CHARACTERS = 16

/** An erased participant by shard and erasure token, and the last stream entry that may be of them. */
export type PositionErasure = { shard: number; token: string; upTo: EntryNumber }

export type LiveMap = ReturnType<typeof createLiveMap>

/**
 * The latest position of every participant, in memory. It is fed by the buffer streams, which every process reads in the
 * same order, and by the tracks in PostgreSQL. `stateOf` says what the public may know of a participant, and since when.
 */
export function createLiveMap({
  pseudonymSecret,
  stateOf,
  changes,
}: {
  pseudonymSecret: string
  stateOf: (userId: string) => PublicState
  changes: ChangeLog
}) {
  const positions = new Map<string, LivePosition>()
  const grid = createPositionGrid()
  const movements = Array.from({ length: SHARD_COUNT }, createMovementLog)
  const seen: EntryNumber[] = Array.from({ length: SHARD_COUNT }, () => STREAM_START)
  const flushed: EntryNumber[] = Array.from({ length: SHARD_COUNT }, () => STREAM_START)
  const tokenOf = erasureTokens(pseudonymSecret)
  const erasures = createRecentErasures(tokenOf)
  let version = 0
  let publicCount = 0

  const pseudonym = (userId: string): string =>
    new Bun.CryptoHasher('sha256', pseudonymSecret)
      .update(userId)
      .digest('base64url')
      .slice(0, PSEUDONYM_CHARACTERS)

  const invalidate = (position: LivePosition): void => {
    version++
    position.texts = {}
  }

  /** Says whether what the public sees of the position changed. */
  const setPublic = (position: LivePosition, state: PublicState): boolean => {
    const { isCounted, isPublic, isAnonymous, publicName } = state
    const isSame = position.isPublic === isPublic && position.publicName === publicName
    publicCount += Number(isPublic) - Number(position.isPublic)
    grid.setPublic(position, isPublic)
    Object.assign(position, { isCounted, isAnonymous, publicName })
    return !isSame
  }

  const remove = (position: LivePosition): void => {
    positions.delete(position.userId)
    movements[position.shard]?.remove(position)
    setPublic(position, HIDDEN)
    grid.remove(position)
    changes.add({ id: position.id, position: null })
    version++
  }

  const withToken = function* (shard: number, token: string): Generator<LivePosition> {
    const isErased = matchesToken({ shard, mark: token }, tokenOf)
    for (const position of positions.values()) if (isErased(position.userId)) yield position
  }

  /** Readers who have followed a shard beyond an entry do not find it among the movements. */
  const noteLateEntry = (position: LivePosition): void => {
    const { id, shard, movedAt } = position
    if (changes.isSeeded() && !isAfter(movedAt, seen[shard] ?? STREAM_START))
      changes.add({ id, position, hasMoved: true })
  }

  const update = (
    userId: string,
    { lat, lng, recordedAt, accuracy, battery, entry }: PositionUpdate,
  ): LivePosition | null => {
    const known = positions.get(userId)
    if (known && recordedAt <= known.recordedAt) return known
    if (!known && erasures.covers(userId, entry)) return null
    const position = known ?? newPosition(userId, pseudonym(userId))
    Object.assign(position, { lat, lng, recordedAt, accuracyM: accuracy, movedAt: entry })
    if (battery !== undefined) position.battery = battery
    grid.place(position)
    if (!known) {
      positions.set(userId, position)
      setPublic(position, stateOf(userId))
    }
    movements[position.shard]?.add(position, !known)
    noteLateEntry(position)
    invalidate(position)
    return position
  }

  return {
    /**
     * Applies a position if it is later than the known one (greater `recordedAt`; of equal ones the first stays), and
     * gives the current one. Null for a position from before the participant was erased.
     */
    update,
    /** A device was joined to a person: its position is theirs, if it is the later one, and no longer the device's. */
    join: ({ deviceId, userId }: { deviceId: string; userId: string }): void => {
      const device = positions.get(deviceId)
      if (!device) return
      remove(device)
      const { lat, lng, recordedAt, accuracyM: accuracy, battery } = device
      const entry = seen[shardOf(userId)] ?? STREAM_START
      update(userId, { lat, lng, recordedAt, accuracy, battery: battery ?? undefined, entry })
    },
    /** Applies a change of a participant's name, consent or status. */
    participantChanged: (userId: string): void => {
      const position = positions.get(userId)
      if (!position) return
      invalidate(position)
      const state = stateOf(userId)
      if (setPublic(position, state)) changes.add({ id: position.id, position, at: state.changedAt })
    },
    /** Counts a check-in of the stream for the level until it is flushed. */
    addPendingCheckin: (position: LivePosition, entry: EntryNumber, recordedAt: number): void => {
      if (!isAfter(entry, flushed[position.shard] ?? STREAM_START)) return
      position.pending.push({ entry, recordedAt })
      invalidate(position)
    },
    /** Sets the totals of a flush, which include the pending check-ins up to its cursor. */
    setTotals: (
      position: LivePosition,
      totals: { km: number; checkins: number },
      cursor: EntryNumber,
    ): void => {
      Object.assign(position, totals)
      flushed[position.shard] = cursor
      position.pending = position.pending.filter(({ entry }) => isAfter(entry, cursor))
      invalidate(position)
    },
    /** Removes an erased participant; a position after `upTo` stays, as that of a new participant. */
    erase: ({ shard, token, upTo }: PositionErasure): void => {
      erasures.add({ shard, token, upTo })
      for (const position of withToken(shard, token)) {
        if (isAfter(position.movedAt, upTo)) {
          resetTotals(position, upTo)
          invalidate(position)
        } else remove(position)
      }
    },
    /** The same for an erasure of which only the time is known. */
    eraseByTime: ({ shard, token, atMs }: { shard: number; token: string; atMs: number }): void => {
      for (const position of withToken(shard, token)) if (position.movedAt[0] <= atMs) remove(position)
    },
    get: (userId: string): LivePosition | undefined => positions.get(userId),
    all: (): IterableIterator<LivePosition> => positions.values(),
    grid,
    changes,
    count: ({ includeHidden }: { includeHidden: boolean }): number =>
      includeHidden ? positions.size : publicCount,
    /** Positions of a shard that moved after an entry, in order. */
    movedSince: (shard: number, entry: EntryNumber): Iterable<LivePosition> =>
      movements[shard]?.since(entry) ?? [],
    /** An upper bound of the positions that moved in all shards after these entries. */
    countMovedSince: (shards: readonly EntryNumber[]): number =>
      movements.reduce((sum, log, shard) => sum + log.countSince(shards[shard] ?? STREAM_START), 0),
    /** Notes that the map has everything up to this entry of the shard. */
    advance: (shard: number, entry: EntryNumber): void => {
      if (isAfter(entry, seen[shard] ?? STREAM_START)) seen[shard] = entry
    },
    cursor: (): Cursor => ({ shards: [...seen], changes: changes.offset() }),
    /** Changes with everything that a response could show. */
    version: () => version,
  }
}

/** What was counted before the erasure is not the new participant's. */
function resetTotals(position: LivePosition, upTo: EntryNumber): void {
  const pending = position.pending.filter(({ entry }) => isAfter(entry, upTo))
  Object.assign(position, { km: 0, checkins: 0, pending })
}
