import { advanceKeeping, emptyTrack } from '@palanquin/domain/distance'
import { isGap, type Step } from './pieces.ts'
import type { TrackPoint } from './stored.ts'

type Kept = { point: TrackPoint; begins: boolean }

/**
 * Of all points of a participant, from the very first, those that made the distance: one pass of the domain's rules, the
 * anchors that it took. A line is split where the phone was silent, and where an anchor proved to be an outlier; an outlier
 * that nothing was counted to or from is left out.
 */
export async function* keptPoints(
  pages: AsyncIterable<TrackPoint[]>,
  { driftGuard, from, to }: { driftGuard: boolean; from: number | null; to: number | null },
): AsyncGenerator<Step[]> {
  let track = emptyTrack()
  /** Points that may still be kept: noise so far, three at most. */
  let doubtful: TrackPoint[] = []
  /** A beginning that nothing was counted from yet. */
  let beginning: TrackPoint | null = null
  let last: TrackPoint | null = null
  const isAsked = ({ recordedAt }: TrackPoint) =>
    (from === null || recordedAt >= from) && (to === null || recordedAt <= to)
  const stepsOf = (kept: readonly Kept[]): Step[] => {
    const steps: Step[] = []
    for (const { point, begins } of kept) {
      if (!isAsked(point)) continue
      steps.push({ point, begins: begins || isGap(last, point) })
      last = point
    }
    return steps
  }

  for await (const page of pages) {
    const pass = advanceKeeping(track, page, { driftGuard })
    track = pass.track
    const candidates = byPlaceAndTime([...doubtful, ...page])
    const kept: Kept[] = []
    for (const { fix, begins } of pass.kept) {
      const point = candidates.get(keyOf(fix))
      if (!point) throw new Error('the pass kept a point that it was not given')
      if (begins) beginning = point
      else {
        if (beginning) kept.push({ point: beginning, begins: true })
        beginning = null
        kept.push({ point, begins: false })
      }
    }
    doubtful = track.noise.flatMap((fix) => candidates.get(keyOf(fix)) ?? [])
    yield stepsOf(kept)
  }
  if (beginning) yield stepsOf([{ point: beginning, begins: true }])
}

const keyOf = ({ recordedAt, lat, lng }: { recordedAt: number; lat: number; lng: number }): string =>
  `${recordedAt} ${lat} ${lng}`

/** Of two points of one time and place the first, the check-in. */
function byPlaceAndTime(points: readonly TrackPoint[]): Map<string, TrackPoint> {
  const found = new Map<string, TrackPoint>()
  for (const point of points) if (!found.has(keyOf(point))) found.set(keyOf(point), point)
  return found
}
