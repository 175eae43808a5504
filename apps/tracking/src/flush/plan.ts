import { emptyTrack, inOrder, isAfter, type Track } from '@palanquin/domain/distance'
import { advanceWithCheckpoints, type Checkpoint } from '@palanquin/domain/distance/checkpoint'
import type { CountedKm } from '@palanquin/domain/distance/tally'
import { placeOrder } from '@palanquin/domain/grid'
import type { BufferedPoint } from '../buffer/decode.ts'

/** What PostgreSQL holds of a participant before a batch. Times in epoch ms. */
export type StoredTrack = {
  userId: string
  track: Track
  needsRebuild: boolean
  /** What is stored is no track: `track` has its figures alone, and has to be computed anew from the first point on. */
  isUnreadable: boolean
  position: Position | null
}

/** The latest position, and the entry that brought it. */
export type Position = {
  lat: number
  lng: number
  recordedAt: number
  accuracy: number | null
  movedId: string
}

/** What becomes of a participant by a batch. */
export type PlannedTrack = {
  userId: string
  track: Track
  /** When the kilometres were counted by which the track has grown. */
  counted: readonly CountedKm[]
  /** The checkpoints that it has passed. */
  checkpoints: readonly Checkpoint[]
  /**
   * What was counted before: a point that is not after it and proves new makes the track a case for a rebuild. Null where
   * nothing was, or the track waits for its rebuild already: then any point that proves new is one.
   */
  countedBefore: Track['last']
  /** Whether the batch holds points that are not after what was counted. */
  hasLate: boolean
  isUnreadable: boolean
  position: Position | null
  lastSeenAt: number
  /** Whether the figures changed. */
  advanced: boolean
}

export type Plan = {
  points: BufferedPoint[]
  /** Those among them that may be stored already, under their key: if they count instead of what is stored, they replace it. */
  repeated: BufferedPoint[]
  tracks: PlannedTrack[]
}

/**
 * Decides what a batch does to the participants that it touches. Points after what was counted advance a track; any
 * other was either counted already, or makes a rebuild necessary: which of the two, the statement finds out. A track that
 * waits for its rebuild is left alone: the rebuild reads everything that is stored by then.
 */
export function planBatch(
  points: readonly BufferedPoint[],
  stored: ReadonlyMap<string, StoredTrack>,
  { driftGuard }: { driftGuard: boolean },
): Plan {
  const plan: Plan = { points: [], repeated: [], tracks: [] }
  for (const [userId, arrived] of sortedByPlace(groupByUser(points))) {
    const before = stored.get(userId) ?? unknownTrack(userId)
    const unique = inOrder(arrived, ({ point }) => point)
    plan.points.push(...unique)
    for (const one of unique)
      if (isWaiting(before) || !isAfter(before.track, one.point)) plan.repeated.push(one)
    plan.tracks.push(planTrack(before, { arrived, unique, driftGuard }))
  }
  return plan
}

function planTrack(
  before: StoredTrack,
  batch: { arrived: readonly BufferedPoint[]; unique: readonly BufferedPoint[]; driftGuard: boolean },
): PlannedTrack {
  const points = batch.unique.map(({ point }) => point)
  const waits = isWaiting(before)
  const later = waits ? [] : points.filter((point) => isAfter(before.track, point))
  return {
    userId: before.userId,
    ...advanceWithCheckpoints(before.track, later, { driftGuard: batch.driftGuard }),
    countedBefore: waits ? null : before.track.last,
    hasLate: later.length < points.length,
    isUnreadable: before.isUnreadable,
    position: latestPosition(before.position, batch.arrived),
    lastSeenAt: Math.max(...batch.arrived.map(({ receivedAt }) => receivedAt)),
    advanced: later.length > 0,
  }
}

const isWaiting = ({ needsRebuild, isUnreadable }: StoredTrack): boolean => needsRebuild || isUnreadable

/**
 * The position with the greatest `recordedAt`; of several with that time the one that arrived first. Every process that
 * follows the stream comes to the same.
 */
function latestPosition(before: Position | null, arrived: readonly BufferedPoint[]): Position | null {
  let latest = before
  for (const { point, entryId } of arrived) {
    if (latest !== null && point.recordedAt <= latest.recordedAt) continue
    const { lat, lng, recordedAt, accuracy } = point
    latest = { lat, lng, recordedAt, accuracy, movedId: entryId }
  }
  return latest
}

/** Who walks near each other is stored near each other: the index over places (points_place) lives on it. */
function sortedByPlace(groups: ReadonlyMap<string, BufferedPoint[]>): [string, BufferedPoint[]][] {
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
  isUnreadable: false,
  position: null,
})
