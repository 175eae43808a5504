import { followAnchors } from '@palanquin/domain/distance'
import type { Anchor } from '@palanquin/domain/distance/rules'
import type { Step } from './segments.ts'
import type { TrackPoint } from './store.ts'

/**
 * The points that the distance counted: the anchors of one pass of the domain's rules over all points of a participant.
 * The lines between them are as long as the distance. They bridge silences that count, and end where nothing was counted
 * to the next point (an outlier, a stay). A point that nothing was counted to or from is left out.
 */
export async function* filteredSteps(
  pages: AsyncIterable<TrackPoint[]>,
  { driftGuard, from, to }: { driftGuard: boolean; from: number | null; to: number | null },
): AsyncGenerator<Step[]> {
  const anchors = followAnchors({ driftGuard })
  /** Anchors are the objects that were fed, and points that are no longer referenced can be collected. */
  const pointOf = new WeakMap<object, TrackPoint>()
  /** The start of a line, while nothing is counted from it. */
  let start: TrackPoint | null = null
  let isDrawing = false
  const isInRange = ({ recordedAt }: TrackPoint) =>
    (from === null || recordedAt >= from) && (to === null || recordedAt <= to)

  const stepsOf = (taken: readonly Anchor[]): Step[] => {
    const steps: Step[] = []
    const draw = (point: TrackPoint, begins: boolean) => {
      if (isInRange(point)) steps.push({ point, begins: begins || !isDrawing })
      isDrawing = isInRange(point)
    }
    for (const { fix, begins } of taken) {
      const point = pointOf.get(fix)
      if (!point) throw new Error('the pass took an anchor that it was not given')
      if (begins) start = point
      else {
        if (start) draw(start, true)
        start = null
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
  if (start && isInRange(start)) yield [{ point: start, begins: true }]
}
