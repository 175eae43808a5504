/**
 * The distance of a participant: a pure state that points are fed into, in order. Contract section 3, specification 2.6.
 * Here: the state, the order of points, and the three ways in. The rules themselves stand once, in `distance/pass`.
 */
import { type Anchor, type CountedKm, startPass } from './distance/pass'
import type { Point, PointKind } from './point'

/** Where a phone was, when (epoch milliseconds), and how sure it was (metres). */
export type Fix = {
  readonly lat: number
  readonly lng: number
  readonly recordedAt: number
  readonly accuracy: number | null
}

/** What orders a participant's points, and (together with the `userId`) identifies one. */
export type PointKey = { readonly recordedAt: number; readonly kind: PointKind }

/** All that is known of a track so far. Plain data: safe to store as JSON or columns and to go on from. */
export type Track = {
  /** The end of the last counted segment. */
  readonly anchor: Fix | null
  /** The run of consecutive noise points since, at most 3: a fourth may prove the anchor wrong. */
  readonly noise: readonly Fix[]
  readonly walkedKm: number
  readonly motorizedKm: number
  /** Points taken, each key once, whether they count for the distance or not. Check-ins are points too. */
  readonly points: number
  readonly checkins: number
  /** The key of the last point taken. */
  readonly last: PointKey | null
  /** Where the last point taken was, whatever its accuracy. */
  readonly lastFix: Fix | null
}

export type DistanceOptions = {
  /** `GPS_DRIFT_GUARD`: a segment shorter than the larger accuracy of its two ends is static. Default off. */
  readonly driftGuard?: boolean
}

const NOTHING_COUNTED: readonly CountedKm[] = []

/** The track of somebody who has sent nothing yet. */
export function emptyTrack(): Track {
  return {
    anchor: null,
    noise: [],
    walkedKm: 0,
    motorizedKm: 0,
    points: 0,
    checkins: 0,
    last: null,
    lastFix: null,
  }
}

/** Kilometres walked and driven. */
export function distanceKm(track: Track): number {
  return track.walkedKm + track.motorizedKm
}

/** The order in which points count: by `recordedAt`, of two at one time the check-in first. 0: the same key. */
export function comparePoints(a: PointKey, b: PointKey): number {
  if (a.recordedAt !== b.recordedAt) return a.recordedAt - b.recordedAt
  if (a.kind === b.kind) return 0
  return a.kind === 'checkin' ? -1 : 1
}

/** Whether two points of one participant are the same point, sent twice (whatever else they say). */
export function samePointKey(a: PointKey, b: PointKey): boolean {
  return a.recordedAt === b.recordedAt && a.kind === b.kind
}

/** Whether a point comes after all that was counted, so that the track may advance by it instead of being rebuilt. */
export function isAfter(track: Track, point: PointKey): boolean {
  return track.last === null || comparePoints(point, track.last) > 0
}

/** The track after one more point. The same track for a point with the key of the last; throws for an older one. */
export function advance(track: Track, point: Point, options: DistanceOptions = {}): Track {
  return advanceAll(track, [point], options)
}

/**
 * The track after a batch of points, sorted by `comparePoints`. Points with the key of the one before are dropped; the
 * same track comes back if none is left. Throws for a point out of order: that track has to be rebuilt with `trackOf`.
 */
export function advanceAll(track: Track, points: readonly Point[], options: DistanceOptions = {}): Track {
  return advanceCounting(track, points, options).track
}

/** `advanceAll`, and when it counted the kilometres by which the sums have grown: by quarter of an hour, in order. */
export function advanceCounting(
  track: Track,
  points: readonly Point[],
  options: DistanceOptions = {},
): { track: Track; counted: readonly CountedKm[] } {
  const pass = startPass(track, options.driftGuard === true)
  const newest = takeAll(pass, track, points)
  return newest === null
    ? { track, counted: NOTHING_COUNTED }
    : { track: pass.finish(newest), counted: pass.counted() }
}

/** `advanceAll`, and the points that it kept: the anchors, between which the counted segments lie, in order. */
export function advanceKeeping(
  track: Track,
  points: readonly Point[],
  options: DistanceOptions = {},
): { track: Track; kept: readonly Anchor[] } {
  const kept: Anchor[] = []
  const pass = startPass(track, options.driftGuard === true, (anchor) => kept.push(anchor))
  const newest = takeAll(pass, track, points)
  return { track: newest === null ? track : pass.finish(newest), kept }
}

/** Feeds sorted points to a pass, each key once; the last that it took, or null. */
function takeAll(pass: ReturnType<typeof startPass>, track: Track, points: readonly Point[]): Point | null {
  let last: PointKey | null = track.last
  let newest: Point | null = null
  for (const point of points) {
    const order = last === null ? 1 : comparePoints(point, last)
    if (order === 0) continue
    if (order < 0)
      throw new Error(`a ${point.kind} point at ${point.recordedAt} is older than what was counted`)
    pass.take(point)
    last = point
    newest = point
  }
  return newest
}

/** The track of all points of a participant, in any order. Of points with one key the first given counts. */
export function trackOf(points: readonly Point[], options: DistanceOptions = {}): Track {
  return advanceAll(emptyTrack(), points.toSorted(comparePoints), options)
}
