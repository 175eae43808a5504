import { SHARD_COUNT, shardOf } from '@palanquin/domain/ids'
import { erasureTokens } from '../../erasure/token.ts'
import type { ChangeLog } from './change-log.ts'
import { type Cursor, type EntryNumber, isPending, NOWHERE } from './cursor.ts'
import type { LivePosition, Sighting } from './live-position.ts'
import { movementLog } from './movement-log.ts'
import { positionGrid } from './position-grid.ts'
import { erasedMarks } from './recent-erasures.ts'

/** 96 bits: nobody meets another's pseudonym, and nobody guesses one. */
const PSEUDONYM_CHARACTERS = 16

/** Who is to leave the map: somebody of a shard, by mark, with what its stream held up to an entry. */
export type MapErasure = { shard: number; mark: string; upTo: EntryNumber }

export type LiveMap = ReturnType<typeof liveMap>

/**
 * The latest position of every participant, in the memory of this process. It is fed by the streams, which every
 * process follows in the same order, and by what PostgreSQL holds of before. `stateOf` says whether the public may
 * see somebody now, and when that may have changed last.
 */
export function liveMap({
  pseudonymSecret,
  stateOf,
  changes,
}: {
  pseudonymSecret: string
  stateOf: (userId: string) => { isPublic: boolean; changedAt?: number | undefined }
  changes: ChangeLog
}) {
  const positions = new Map<string, LivePosition>()
  const grid = positionGrid()
  const logs = Array.from({ length: SHARD_COUNT }, movementLog)
  const seen: EntryNumber[] = Array.from({ length: SHARD_COUNT }, () => NOWHERE)
  const flushed: EntryNumber[] = Array.from({ length: SHARD_COUNT }, () => NOWHERE)
  const tokenOf = erasureTokens(pseudonymSecret)
  const erased = erasedMarks(tokenOf)
  let version = 0
  let publicCount = 0

  const pseudonym = (userId: string): string =>
    new Bun.CryptoHasher('sha256', pseudonymSecret)
      .update(userId)
      .digest('base64url')
      .slice(0, PSEUDONYM_CHARACTERS)

  const touch = (position: LivePosition): void => {
    version++
    position.texts = {}
  }

  const show = (position: LivePosition, isPublic: boolean): boolean => {
    if (position.isPublic === isPublic) return false
    grid.show(position, isPublic)
    publicCount += isPublic ? 1 : -1
    return true
  }

  /**
   * Takes a position in, if it is later than what is known: greater `recordedAt`, the first of equal ones. Null when it
   * is one of before the participant was erased.
   */
  const visibility = (
    userId: string,
    { lat, lng, recordedAt, accuracy, entry }: Sighting,
  ): LivePosition | null => {
    const known = positions.get(userId)
    if (known && recordedAt <= known.recordedAt) return known
    if (!known && erased.has(userId, entry)) return null
    const position = known ?? newPosition(userId, pseudonym(userId))
    Object.assign(position, { lat, lng, recordedAt, accuracyM: accuracy, movedAt: entry })
    grid.place(position)
    if (!known) {
      positions.set(userId, position)
      show(position, stateOf(userId).isPublic)
    }
    logs[position.shard]?.add(position, !known)
    touch(position)
    return position
  }

  const remove = (position: LivePosition): void => {
    positions.delete(position.userId)
    logs[position.shard]?.remove(position)
    show(position, false)
    grid.remove(position)
    changes.note({ id: position.id, position: null })
    version++
  }

  const ofMark = function* (shard: number, mark: string): Generator<LivePosition> {
    for (const position of positions.values())
      if (position.shard === shard && tokenOf(position.userId) === mark) yield position
  }

  return {
    visibility,
    /** A participant's state changed: name, consent, status. */
    touch: (userId: string): void => {
      const position = positions.get(userId)
      if (!position) return
      touch(position)
      const { isPublic, changedAt } = stateOf(userId)
      if (show(position, isPublic)) changes.note({ id: position.id, position, at: changedAt })
    },
    /** A check-in in the stream: it counts for the level before it is flushed. */
    checkedIn: (position: LivePosition, entry: EntryNumber, recordedAt: number): void => {
      if (!isPending(entry, flushed[position.shard] ?? NOWHERE)) return
      position.pending.push({ entry, recordedAt })
      touch(position)
    },
    /** What a flush counted; pending check-ins up to its cursor are among it. */
    counted: (
      position: LivePosition,
      figures: { km: number; checkins: number },
      cursor: EntryNumber,
    ): void => {
      Object.assign(position, figures)
      flushed[position.shard] = cursor
      position.pending = position.pending.filter(({ entry }) => isPending(entry, cursor))
      touch(position)
    },
    /** Takes an erased participant off the map, and whatever the streams held of them up to an entry. */
    erase: ({ shard, mark, upTo }: MapErasure): void => {
      erased.note({ shard, mark, upTo })
      for (const position of ofMark(shard, mark)) {
        if (isPending(position.movedAt, upTo)) {
          reset(position, upTo)
          touch(position)
        } else remove(position)
      }
    },
    /** The same, of an erasure of which only the time is known: what came to the streams later is left alone. */
    eraseOfBefore: ({ shard, mark, atMs }: { shard: number; mark: string; atMs: number }): void => {
      for (const position of ofMark(shard, mark)) if (position.movedAt[0] <= atMs) remove(position)
    },
    get: (userId: string): LivePosition | undefined => positions.get(userId),
    all: (): IterableIterator<LivePosition> => positions.values(),
    grid,
    changes,
    /** How many there are, or how many the public may see. */
    count: (whole: boolean): number => (whole ? positions.size : publicCount),
    /** Who moved in a shard behind an entry, in order. */
    movedSince: (shard: number, entry: EntryNumber): Iterable<LivePosition> =>
      logs[shard]?.since(entry) ?? [],
    /** How many moved behind a place in all shards, or more. */
    countSince: (shards: readonly EntryNumber[]): number =>
      logs.reduce((sum, log, shard) => sum + log.countSince(shards[shard] ?? NOWHERE), 0),
    /** Everything up to this entry of the shard is on the map. */
    advance: (shard: number, entry: EntryNumber): void => {
      if (isPending(entry, seen[shard] ?? NOWHERE)) seen[shard] = entry
    },
    cursor: (): Cursor => ({ shards: [...seen], seen: changes.seen() }),
    /** Changes with everything that an answer could show. */
    version: () => version,
  }
}

/** Of somebody who moved since: what was counted before is no longer theirs. */
function reset(position: LivePosition, upTo: EntryNumber): void {
  const pending = position.pending.filter(({ entry }) => isPending(entry, upTo))
  Object.assign(position, { km: 0, checkins: 0, pending })
}

const newPosition = (userId: string, id: string): LivePosition => ({
  userId,
  shard: shardOf(userId),
  id,
  lat: 0,
  lng: 0,
  recordedAt: Number.NEGATIVE_INFINITY,
  accuracyM: null,
  movedAt: NOWHERE,
  km: 0,
  checkins: 0,
  pending: [],
  isPublic: false,
  cell: null,
  texts: {},
})
