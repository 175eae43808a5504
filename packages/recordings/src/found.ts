import { fixOf, type RawFix, type RecordedFix } from './fix.ts'
import { Unreadable } from './unreadable.ts'

/** Nine days of a point a second are 777,600. */
export const POINTS_MAX = 1_000_000

/** Collects what a reader finds. */
export type Found = {
  add: (raw: RawFix) => void
  readonly fixes: RecordedFix[]
  withoutTime: number
  withoutPlace: number
}

/** Empty, for at most so many points, good or bad; one more is Unreadable. */
export function foundNothing(pointsMax = POINTS_MAX): Found {
  const found: Found = {
    fixes: [],
    withoutTime: 0,
    withoutPlace: 0,
    add: (raw) => {
      const fix = fixOf(raw)
      if (fix === 'place') found.withoutPlace++
      else if (fix === 'time') found.withoutTime++
      else found.fixes.push(fix)
      if (found.fixes.length + found.withoutPlace + found.withoutTime > pointsMax)
        throw new Unreadable(
          'too_large',
          `This file has more than ${pointsMax.toLocaleString('en')} points. Please send it in parts.`,
        )
    },
  }
  return found
}
