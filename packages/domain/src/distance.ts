/**
 * The distance of a participant: a pure state to which points are fed in order. Contract section 3, specification 2.6.
 * The rules are in `distance/rules`.
 */
import { startPass } from './distance/pass'
import { comparePoints, inOrder, type PointKey } from './distance/point-order'
import type { Anchor } from './distance/rules'
import type { CountedKm } from './distance/tally'
import { emptyTrack, type Track } from './distance/track'
import type { Point } from './point'

export {
  comparePoints,
  comparePreference,
  inOrder,
  samePointKey,
} from './distance/point-order'
export { distanceKm, emptyTrack, isAfter, type Track } from './distance/track'

export type DistanceOptions = {
  /** `GPS_DRIFT_GUARD`: a stay of five minutes is one place (contract 3.6). Default off. */
  readonly driftGuard?: boolean
}

const NOTHING_COUNTED: readonly CountedKm[] = []

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

/** `advanceAll`, and the kilometres that it counted by quarter of an hour, in order. */
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
 * For drawing a track: fed with all points in order, it gives the anchors between which the counted segments lie, as the
 * objects that were fed. `end` gives the last ones.
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

/** Feeds sorted points to a pass, each key once; the last point taken, or null. */
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
