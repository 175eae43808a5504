import { SHARD_COUNT, shardOf } from '@palanquin/domain/ids'
import { marksOf } from '../erasure/mark.ts'
import { type Cursor, type EntryNumber, isBehind } from './cursor.ts'
import { movementLog } from './movements.ts'
import type { Sighting, Walker } from './walker.ts'

/** 96 bits: nobody meets another's pseudonym, and nobody guesses one. */
const PSEUDONYM_CHARACTERS = 16
const NOWHERE: EntryNumber = [0, 0]
/** Erasures of a shard that are remembered; what is older has reached every reader long since. */
const ERASURES_MAX = 256

/** Who is to leave the map: somebody of a shard, by mark, with what its stream held up to an entry. */
export type MapErasure = { shard: number; mark: string; upTo: EntryNumber }

export type LiveMap = ReturnType<typeof liveMap>

/**
 * The latest position of every participant, in the memory of this process. It is fed by the streams, which every
 * process follows in the same order, and by what PostgreSQL holds of before.
 */
export function liveMap({ pseudonymSecret }: { pseudonymSecret: string }) {
  const walkers = new Map<string, Walker>()
  const logs = Array.from({ length: SHARD_COUNT }, movementLog)
  const seen: EntryNumber[] = Array.from({ length: SHARD_COUNT }, () => NOWHERE)
  const flushed: EntryNumber[] = Array.from({ length: SHARD_COUNT }, () => NOWHERE)
  /** A reader may still have in hand what it read of them before. */
  const erased: Map<string, EntryNumber>[] = Array.from({ length: SHARD_COUNT }, () => new Map())
  const markOf = marksOf(pseudonymSecret)
  let version = 0

  const isErased = (userId: string, entry: EntryNumber): boolean => {
    const marks = erased[shardOf(userId)]
    if (!marks || marks.size === 0) return false
    const upTo = marks.get(markOf(userId))
    return upTo !== undefined && !isBehind(entry, upTo)
  }

  const pseudonym = (userId: string): string =>
    new Bun.CryptoHasher('sha256', pseudonymSecret)
      .update(userId)
      .digest('base64url')
      .slice(0, PSEUDONYM_CHARACTERS)

  const touch = (walker: Walker | undefined): void => {
    version++
    if (walker) walker.shown = {}
  }

  /**
   * Takes a position in, if it is later than what is known: greater `recordedAt`, the first of equal ones. Null when it
   * is one of before the participant was erased.
   */
  const sight = (userId: string, { lat, lng, recordedAt, entry }: Sighting): Walker | null => {
    const known = walkers.get(userId)
    if (known && recordedAt <= known.recordedAt) return known
    if (!known && isErased(userId, entry)) return null
    const walker = known ?? newWalker(userId, pseudonym(userId))
    if (!known) walkers.set(userId, walker)
    Object.assign(walker, { lat, lng, recordedAt, movedAt: entry })
    logs[walker.shard]?.add(walker, !known)
    touch(walker)
    return walker
  }

  return {
    sight,
    touch: (userId: string): void => touch(walkers.get(userId)),
    /** A check-in in the stream: it counts for the level before it is flushed. */
    checkedIn: (walker: Walker, entry: EntryNumber, recordedAt: number): void => {
      if (!isBehind(entry, flushed[walker.shard] ?? NOWHERE)) return
      walker.pending.push({ entry, recordedAt })
      touch(walker)
    },
    /** What a flush counted; pending check-ins up to its cursor are among it. */
    counted: (walker: Walker, figures: { km: number; checkins: number }, cursor: EntryNumber): void => {
      Object.assign(walker, figures)
      flushed[walker.shard] = cursor
      walker.pending = walker.pending.filter(({ entry }) => isBehind(entry, cursor))
      touch(walker)
    },
    erase: ({ shard, mark, upTo }: MapErasure): void => {
      const marks = erased[shard]
      marks?.set(mark, upTo)
      for (const oldest of marks && marks.size > ERASURES_MAX ? marks.keys() : []) {
        marks?.delete(oldest)
        break
      }
      for (const walker of walkers.values()) {
        if (walker.shard !== shard || markOf(walker.userId) !== mark) continue
        if (isBehind(walker.movedAt, upTo)) beginAnew(walker, upTo)
        else {
          walkers.delete(walker.userId)
          logs[shard]?.remove(walker)
        }
        touch(walker)
      }
    },
    get: (userId: string): Walker | undefined => walkers.get(userId),
    all: (): IterableIterator<Walker> => walkers.values(),
    /** Who moved in a shard behind an entry, in order. */
    movedSince: (shard: number, entry: EntryNumber): Iterable<Walker> => logs[shard]?.since(entry) ?? [],
    /** Everything up to this entry of the shard is on the map. */
    advance: (shard: number, entry: EntryNumber): void => {
      if (isBehind(entry, seen[shard] ?? NOWHERE)) seen[shard] = entry
    },
    cursor: (): Cursor => [...seen],
    /** Changes with everything that an answer could show. */
    version: () => version,
  }
}

/** Of somebody who moved since: what was counted before is no longer theirs. */
function beginAnew(walker: Walker, upTo: EntryNumber): void {
  const pending = walker.pending.filter(({ entry }) => isBehind(entry, upTo))
  Object.assign(walker, { km: 0, checkins: 0, pending })
}

const newWalker = (userId: string, id: string): Walker => ({
  userId,
  shard: shardOf(userId),
  id,
  lat: 0,
  lng: 0,
  recordedAt: Number.NEGATIVE_INFINITY,
  movedAt: NOWHERE,
  km: 0,
  checkins: 0,
  pending: [],
  shown: {},
})
