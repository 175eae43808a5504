import { countsForDistance, judgePoint, type Point } from '@palanquin/domain/point'

/** Why a point of a sync will never be taken; the phone may forget it. */
export type Rejection = { index: number; reason: 'invalid' | 'too_old' | 'future' }

/** A sync's points, judged one by one: the first of each `recordedAt` among the sound ones, and the rest by its reason. */
export type Judged = { points: Point[]; repeated: number; rejected: Rejection[] }

/** Gives every point its verdict; one that is malformed does not hold up the others. */
export function judgeSync(
  given: readonly unknown[],
  { source, sources, now }: { source: string; sources: readonly string[]; now: number },
): Judged {
  const judged: Judged = { points: [], repeated: 0, rejected: [] }
  const times = new Set<number>()
  given.forEach((input, index) => {
    const verdict = judgePoint(input, { now, sources, defaultSource: source, kind: 'track' })
    if ('rejected' in verdict) judged.rejected.push({ index, reason: verdict.rejected })
    else if (times.has(verdict.point.recordedAt)) judged.repeated++
    else {
      times.add(verdict.point.recordedAt)
      judged.points.push(verdict.point)
    }
  })
  return judged
}

/** How many of these rule 2.6.1 keeps out of the distance; they are kept raw all the same. */
export const countFiltered = (points: readonly Point[]): number =>
  points.reduce((filtered, point) => filtered + (countsForDistance(point) ? 0 : 1), 0)
