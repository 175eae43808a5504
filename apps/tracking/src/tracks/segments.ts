import type { TrackPoint } from './store.ts'

/** After such a silence the way taken is unknown, so no line is drawn. */
const GAP_MS = 15 * 60_000

/** A point of a line; `begins` says that no line leads to it from the point before. */
export type Step = { point: TrackPoint; begins: boolean }

/** Raw points as lines that end where the phone was silent. */
export async function* splitAtGaps(pages: AsyncIterable<TrackPoint[]>): AsyncGenerator<Step[]> {
  let last: TrackPoint | null = null
  for await (const page of pages) {
    const steps: Step[] = []
    for (const point of page) {
      steps.push({ point, begins: isGap(last, point) })
      last = point
    }
    yield steps
  }
}

/** Whether no line leads from one point to the next. */
const isGap = (from: TrackPoint | null, to: TrackPoint): boolean =>
  from === null || to.recordedAt - from.recordedAt > GAP_MS
