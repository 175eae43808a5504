/**
 * The distance of a participant: a pure state that points are fed into, in order. Contract section 3, specification 2.6.
 * Here: the state, the order of points, and the ways in. The rules themselves stand once, in `distance/rules`.
 */
import type { GuardState } from './distance/drift-guard'
import { startPass } from './distance/pass'
import type { Anchor } from './distance/rules'
import type { CountedKm } from './distance/tally'
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
  /** With `GPS_DRIFT_GUARD`: what may become a stay. The figures above are those if nothing follows. */
  readonly guard?: GuardState
}

export type DistanceOptions = {
  /** `GPS_DRIFT_GUARD`: a stay of five minutes is one place (contract 3.6). Default off. */
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

/** What decides between two points with one key. */
type Measured = Pick<Point, 'accuracy' | 'lat' | 'lng' | 'speed'>

/**
 * Which of two points with one key counts (contract 3.2), whichever arrived first: the one with the smaller accuracy (a
 * missing one is the largest), latitude, longitude, speed (a missing one last). Negative: the first. 0: it makes no difference.
 */
export function comparePreference(a: Measured, b: Measured): number {
  return (
    compare(a.accuracy ?? Number.POSITIVE_INFINITY, b.accuracy ?? Number.POSITIVE_INFINITY) ||
    compare(a.lat, b.lat) ||
    compare(a.lng, b.lng) ||
    compare(a.speed ?? Number.POSITIVE_INFINITY, b.speed ?? Number.POSITIVE_INFINITY)
  )
}

/** Not a difference: that of two infinities is no number. */
const compare = (a: number, b: number): number => (a < b ? -1 : a > b ? 1 : 0)

/** Items with points in the order that counts, each key once: of several with one key the one that counts. */
export function inOrder<T>(items: readonly T[], pointOf: (item: T) => Point): T[] {
  const sorted = items.toSorted((one, other) => {
    const [a, b] = [pointOf(one), pointOf(other)]
    return comparePoints(a, b) || comparePreference(a, b)
  })
  return sorted.filter((item, at) => {
    const before = sorted[at - 1]
    return before === undefined || !samePointKey(pointOf(before), pointOf(item))
  })
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
  const newest = takeAll(pass, track.last, points)
  return newest === null
    ? { track, counted: NOTHING_COUNTED }
    : { track: pass.finish(newest), counted: pass.counted() }
}

/**
 * Whom the lines of a track are drawn for: feed it all points in their order, and it gives the anchors between which the
 * counted segments lie, in order, as the very points that were fed. `end` gives the last ones.
 */
export function followAnchors(options: DistanceOptions = {}): {
  take: (points: readonly Point[]) => Anchor[]
  end: () => Anchor[]
} {
  let anchors: Anchor[] = []
  let last: PointKey | null = null
  const pass = startPass(emptyTrack(), options.driftGuard === true, (anchor) => anchors.push(anchor))
  const drain = (): Anchor[] => {
    const found = anchors
    anchors = []
    return found
  }
  return {
    take: (points) => {
      last = takeAll(pass, last, points) ?? last
      return drain()
    },
    end: () => {
      pass.release()
      return drain()
    },
  }
}

/** Feeds sorted points to a pass, each key once; the last that it took, or null. */
function takeAll(
  pass: ReturnType<typeof startPass>,
  before: PointKey | null,
  points: readonly Point[],
): Point | null {
  let last = before
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

/** The track of all points of a participant, in any order and repetition. */
export function trackOf(points: readonly Point[], options: DistanceOptions = {}): Track {
  return advanceAll(
    emptyTrack(),
    inOrder(points, (point) => point),
    options,
  )
}
