import { countsForDistance } from '@palanquin/domain/distance/filter'
import type { Point } from '@palanquin/domain/point'
import { judgePoint } from '@palanquin/domain/point/judge'
import { identityOf } from '../../buffer/fingerprint.ts'

/** Why a point of a sync is never taken; the phone may drop it. */
export type Rejection = { index: number; reason: 'invalid' | 'too_old' | 'future' }

/** The valid points of a sync without their repeats (the same time, place, accuracy and speed), and the others by reason. */
export type Judged = { points: Point[]; repeated: number; rejected: Rejection[] }

/** `now` in epoch ms, which may be off by `unsureMs`. */
type Judging = { source: string; sources: readonly string[]; now: number; unsureMs: number }

/** Judges every point for itself; a malformed one does not affect the others. */
export function judgeSync(given: readonly unknown[], { source, sources, now, unsureMs }: Judging): Judged {
  const judged: Judged = { points: [], repeated: 0, rejected: [] }
  const isRepeat = repeatDetector()
  const judging = { now, unsureMs, sources, defaultSource: source, kind: 'track' } as const
  given.forEach((input, index) => {
    const verdict = judgePoint(input, judging)
    if ('rejected' in verdict) judged.rejected.push({ index, reason: verdict.rejected })
    else if (isRepeat(verdict.point)) judged.repeated++
    else judged.points.push(verdict.point)
  })
  return judged
}

/** Whether a point repeats an earlier one; points are compared as text only where two have one time. */
function repeatDetector(): (point: Point) => boolean {
  const firstOf = new Map<number, Point>()
  const others = new Set<string>()
  return (point) => {
    const first = firstOf.get(point.recordedAt)
    if (first === undefined) {
      firstOf.set(point.recordedAt, point)
      return false
    }
    const identity = identityOf(point)
    const key = `${point.recordedAt} ${identity}`
    if (identity === identityOf(first) || others.has(key)) return true
    others.add(key)
    return false
  }
}

/** How many of these rule 2.6.1 excludes from the distance; they are stored all the same. */
export const countFiltered = (points: readonly Point[]): number =>
  points.reduce((filtered, point) => filtered + (countsForDistance(point) ? 0 : 1), 0)
