import { emptyTrack, inOrder, isAfter, type Track } from '@palanquin/domain/distance'
import type { Checkpoint } from '@palanquin/domain/distance/checkpoint'
import type { CountedKm } from '@palanquin/domain/distance/tally'
import { placeOrder } from '@palanquin/domain/grid'
import type { BufferedPoint } from '../buffer/decode.ts'
import { advanceApart, type CarriedSpans, isCarried, type Span } from './carried.ts'

/** What PostgreSQL holds of a participant before a batch. Times in epoch ms. */
export type StoredTrack = {
  userId: string
  track: Track
  needsRebuild: boolean
  /** The stored state is unreadable: `track` has its figures only, and is to be recomputed from the first point. */
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

/** The result of a batch for a participant. */
export type PlannedTrack = {
  userId: string
  track: Track
  /** Whether a track of the participant was stored before. */
  isKnown: boolean
  /** Points after the last one counted, which cannot be stored yet. */
  fresh: readonly BufferedPoint[]
  /** When the kilometres were counted that were added to the track. */
  counted: readonly CountedKm[]
  /** The checkpoints that it passed. */
  checkpoints: readonly Checkpoint[]
  /**
   * The last point counted before: a new point that is not after it marks the track for a rebuild. Null where none was, or
   * the track waits for its rebuild already: then any new point marks it.
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
  /** Points that are certainly new, in the order of their tracks. */
  fresh: BufferedPoint[]
  /** Those that may be stored already, under their key: they replace the stored point if they are preferred. */
  repeated: BufferedPoint[]
  /** Recorded while the device carried a beacon: stored apart, in no figure. */
  carried: BufferedPoint[]
  tracks: PlannedTrack[]
}

/**
 * Decides the result of a batch for each of its participants. Points after the last counted one advance a track; any other
 * was counted already or makes a rebuild necessary, which the statement finds out. A track that waits for its rebuild
 * is left as it is: the rebuild reads everything that is stored by then.
 */
export function planBatch(
  points: readonly BufferedPoint[],
  stored: ReadonlyMap<string, StoredTrack>,
  { driftGuard, spans }: { driftGuard: boolean; spans: CarriedSpans },
): Plan {
  const plan: Plan = { fresh: [], repeated: [], carried: [], tracks: [] }
  for (const [userId, arrived] of sortedByPlace(groupByUser(points))) {
    const before = stored.get(userId) ?? newTrack(userId)
    const own = spans.get(userId)
    const isOwn = ({ point }: BufferedPoint) => !isCarried(own, point.recordedAt)
    const [unique, carried] = separate(
      inOrder(arrived, ({ point }) => point),
      own ? isOwn : null,
    )
    for (const one of carried) plan.carried.push(one)
    // A phone that has only ever carried a beacon is no participant, and gets no track.
    if (unique.length === 0 && !stored.has(userId)) continue
    const isFresh = ({ point }: BufferedPoint) => !isWaiting(before) && isAfter(before.track, point)
    const fresh: BufferedPoint[] = []
    for (const one of unique)
      if (isFresh(one)) fresh.push(one)
      else plan.repeated.push(one)
    for (const one of fresh) plan.fresh.push(one)
    const hasLate = fresh.length < unique.length
    const isKnown = stored.has(userId)
    plan.tracks.push(planTrack(before, { arrived, fresh, hasLate, isKnown, driftGuard, spans: own }))
  }
  return plan
}

function planTrack(
  before: StoredTrack,
  batch: Pick<PlannedTrack, 'fresh' | 'hasLate' | 'isKnown'> & {
    arrived: readonly BufferedPoint[]
    driftGuard: boolean
    spans: readonly Span[] | undefined
  },
): PlannedTrack {
  const { arrived, fresh, hasLate, isKnown } = batch
  const points = fresh.map(({ point }) => point)
  return {
    userId: before.userId,
    isKnown,
    fresh,
    hasLate,
    ...advanceApart(before.track, points, batch),
    countedBefore: isWaiting(before) ? null : before.track.last,
    isUnreadable: before.isUnreadable,
    position: latestPosition(before.position, arrived),
    lastSeenAt: Math.max(...arrived.map(({ receivedAt }) => receivedAt)),
    advanced: fresh.length > 0,
  }
}

/** Those that fulfil a condition, and the others; all of them without one. */
function separate<T>(all: T[], isFirst: ((one: T) => boolean) | null): [T[], T[]] {
  if (isFirst === null) return [all, []]
  return [all.filter(isFirst), all.filter((one) => !isFirst(one))]
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

/** Points that are near each other are stored together, for the index over places (points_place). */
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

/** The track of a participant of whom nothing is stored. */
export const newTrack = (userId: string): StoredTrack => ({
  userId,
  track: emptyTrack(),
  needsRebuild: false,
  isUnreadable: false,
  position: null,
})
