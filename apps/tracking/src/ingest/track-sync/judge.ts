import { countsForDistance, type Point } from '@palanquin/domain/point'
import { judgePoint } from '@palanquin/domain/point/judge'
import { identityOf } from '../../buffer/fingerprint.ts'

/** Why a point of a sync will never be taken; the phone may forget it. */
export type Rejection = { index: number; reason: 'invalid' | 'too_old' | 'future' }

/**
 * A sync's points, judged one by one: the sound ones without their repeats (the same time, place, accuracy and speed), and
 * the rest by its reason.
 */
export type Judged = { points: Point[]; repeated: number; rejected: Rejection[] }

/** `now` in epoch ms, which may be off by `unsureMs`. */
type Judging = { source: string; sources: readonly string[]; now: number; unsureMs: number }

/** Gives every point its verdict; one that is malformed does not hold up the others. */
export function judgeSync(given: readonly unknown[], { source, sources, now, unsureMs }: Judging): Judged {
  const judged: Judged = { points: [], repeated: 0, rejected: [] }
  const repeats = repeatsOf()
  const judging = { now, unsureMs, sources, defaultSource: source, kind: 'track' } as const
  given.forEach((input, index) => {
    const verdict = judgePoint(input, judging)
    if ('rejected' in verdict) judged.rejected.push({ index, reason: verdict.rejected })
    else if (repeats(verdict.point)) judged.repeated++
    else judged.points.push(verdict.point)
  })
  return judged
}

/** Whether a point repeats one that was given before; it is written down as text only where two have one time. */
function repeatsOf(): (point: Point) => boolean {
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

/** How many of these rule 2.6.1 keeps out of the distance; they are kept raw all the same. */
export const countFiltered = (points: readonly Point[]): number =>
  points.reduce((filtered, point) => filtered + (countsForDistance(point) ? 0 : 1), 0)
