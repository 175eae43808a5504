import { followAnchors } from '@palanquin/domain/distance'
import type { Anchor } from '@palanquin/domain/distance/rules'
import type { Step } from './segments.ts'
import type { TrackPoint } from './store.ts'

/**
 * Of all points of a participant, from the very first, those that made the distance: one pass of the domain's rules, the
 * anchors that it took. The lines between them are as long as the distance: they lead over silences that count, and one
 * ends where nothing is counted to the next point (an anchor that proved to be an outlier, a place that a stay moved). A point
 * that nothing was counted to or from is left out.
 */
export async function* keptPoints(
  pages: AsyncIterable<TrackPoint[]>,
  { driftGuard, from, to }: { driftGuard: boolean; from: number | null; to: number | null },
): AsyncGenerator<Step[]> {
  const anchors = followAnchors({ driftGuard })
  /** The anchors are the very points that were fed; whatever nobody holds any more goes. */
  const pointOf = new WeakMap<object, TrackPoint>()
  /** A beginning that nothing was counted from yet. */
  let beginning: TrackPoint | null = null
  let isDrawing = false
  const isAsked = ({ recordedAt }: TrackPoint) =>
    (from === null || recordedAt >= from) && (to === null || recordedAt <= to)

  const stepsOf = (found: readonly Anchor[]): Step[] => {
    const steps: Step[] = []
    const draw = (point: TrackPoint, begins: boolean) => {
      if (isAsked(point)) steps.push({ point, begins: begins || !isDrawing })
      isDrawing = isAsked(point)
    }
    for (const { fix, begins } of found) {
      const point = pointOf.get(fix)
      if (!point) throw new Error('the pass took an anchor that it was not given')
      if (begins) beginning = point
      else {
        if (beginning) draw(beginning, true)
        beginning = null
        draw(point, false)
      }
    }
    return steps
  }

  for await (const page of pages) {
    for (const point of page) pointOf.set(point, point)
    yield stepsOf(anchors.take(page))
  }
  yield stepsOf(anchors.end())
  if (beginning && isAsked(beginning)) yield [{ point: beginning, begins: true }]
}
