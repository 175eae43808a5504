/** The distance of a participant, as a pure state that points are fed to in order. Contract section 3. */
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

/** The track after one more point; the same for the key of the last. @throws for an older point */
export function advance(track: Track, point: Point, options: DistanceOptions = {}): Track {
  return advanceAll(track, [point], options)
}

/** The track after points in the order of `comparePoints`, each key once. @throws for a point out of order */
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

/** Finds the anchors between which the counted segments lie; `end` gives the last ones. */
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
