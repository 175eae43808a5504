import {
  advanceCounting,
  comparePoints,
  emptyTrack,
  isAfter,
  samePointKey,
  type Track,
} from '@palanquin/domain/distance'
import type { CountedKm } from '@palanquin/domain/distance/pass'
import { placeOrder } from '@palanquin/domain/grid'
import type { BufferedPoint } from '../buffer/decode.ts'

/** What PostgreSQL holds of a participant before a batch. Times in epoch ms. */
export type StoredTrack = {
  userId: string
  track: Track
  needsRebuild: boolean
  position: Position | null
}

/** The latest position, and the entry that brought it. */
export type Position = { lat: number; lng: number; recordedAt: number; movedId: string }

/** What becomes of a participant by a batch. */
export type PlannedTrack = {
  userId: string
  track: Track
  /** When the kilometres were counted by which the track has grown. */
  counted: readonly CountedKm[]
  /** What was counted before: a point that is not after it and proves new makes the track a case for a rebuild. */
  countedBefore: Track['last']
  /** Whether the batch holds points that are not after what was counted. */
  hasLate: boolean
  position: Position | null
  lastSeenAt: number
  /** Whether the figures changed. */
  advanced: boolean
}

export type Plan = { points: BufferedPoint[]; tracks: PlannedTrack[] }

/**
 * Decides what a batch does to the participants that it touches. Points after what was counted advance a track; any
 * other was either counted already, or makes a rebuild necessary: which of the two, the insert finds out. A track that
 * waits for its rebuild is left alone: the rebuild reads everything that is stored by then.
 */
export function planBatch(
  points: readonly BufferedPoint[],
  stored: ReadonlyMap<string, StoredTrack>,
  { driftGuard }: { driftGuard: boolean },
): Plan {
  const plan: Plan = { points: [], tracks: [] }
  for (const [userId, arrived] of neighboursTogether(groupByUser(points))) {
    const before = stored.get(userId) ?? unknownTrack(userId)
    const unique = sortedUnique(arrived)
    plan.points.push(...unique)
    plan.tracks.push(planTrack(before, { arrived, unique, driftGuard }))
  }
  return plan
}

function planTrack(
  before: StoredTrack,
  batch: { arrived: readonly BufferedPoint[]; unique: readonly BufferedPoint[]; driftGuard: boolean },
): PlannedTrack {
  const points = batch.unique.map(({ point }) => point)
  const later = before.needsRebuild ? [] : points.filter((point) => isAfter(before.track, point))
  return {
    userId: before.userId,
    ...advanceCounting(before.track, later, { driftGuard: batch.driftGuard }),
    countedBefore: before.track.last,
    hasLate: !before.needsRebuild && later.length < points.length,
    position: latestPosition(before.position, batch.arrived),
    lastSeenAt: Math.max(...batch.arrived.map(({ receivedAt }) => receivedAt)),
    advanced: later.length > 0,
  }
}

/**
 * The position with the greatest `recordedAt`; of several with that time the one that arrived first. Every process that
 * follows the stream comes to the same.
 */
function latestPosition(before: Position | null, arrived: readonly BufferedPoint[]): Position | null {
  let latest = before
  for (const { point, entryId } of arrived) {
    if (latest !== null && point.recordedAt <= latest.recordedAt) continue
    latest = { lat: point.lat, lng: point.lng, recordedAt: point.recordedAt, movedId: entryId }
  }
  return latest
}

/** In the order that counts, each key once: of two with one key the first that arrived stays. */
function sortedUnique(arrived: readonly BufferedPoint[]): BufferedPoint[] {
  const sorted = arrived.toSorted((a, b) => comparePoints(a.point, b.point))
  return sorted.filter((one, at) => {
    const before = sorted[at - 1]
    return before === undefined || !samePointKey(before.point, one.point)
  })
}

/** Who walks near each other is stored near each other: the index over places (points_place) lives on it. */
function neighboursTogether(groups: ReadonlyMap<string, BufferedPoint[]>): [string, BufferedPoint[]][] {
  const placed = [...groups].map((group): [number, [string, BufferedPoint[]]] => {
    const [first] = group[1]
    return [first ? placeOrder(first.point.lat, first.point.lng) : 0, group]
  })
  return placed.sort(([a], [b]) => a - b).map(([, group]) => group)
}

function groupByUser(points: readonly BufferedPoint[]): Map<string, BufferedPoint[]> {
  const groups = new Map<string, BufferedPoint[]>()
  for (const point of points) {
    const group = groups.get(point.userId)
    if (group) group.push(point)
    else groups.set(point.userId, [point])
  }
  return groups
}

const unknownTrack = (userId: string): StoredTrack => ({
  userId,
  track: emptyTrack(),
  needsRebuild: false,
  position: null,
})
