/** The order of a participant's points, and which of two with the same key counts. Contract section 3. */
import type { Point, PointKind } from '../point'

/** Orders a participant's points, and identifies one together with the `userId`. */
export type PointKey = { readonly recordedAt: number; readonly kind: PointKind }

/** By `recordedAt`, a check-in before a track point. 0 for the same key. */
export function comparePoints(a: PointKey, b: PointKey): number {
  if (a.recordedAt !== b.recordedAt) return a.recordedAt - b.recordedAt
  if (a.kind === b.kind) return 0
  return a.kind === 'checkin' ? -1 : 1
}

/** What decides between two points with the same key. */
type Measured = Pick<Point, 'accuracy' | 'lat' | 'lng' | 'speed'>

/** Of two points with one key the one counts with the smaller accuracy, lat, lng, speed (contract 3.2). */
export function comparePreference(a: Measured, b: Measured): number {
  return (
    compare(a.accuracy ?? Number.POSITIVE_INFINITY, b.accuracy ?? Number.POSITIVE_INFINITY) ||
    compare(a.lat, b.lat) ||
    compare(a.lng, b.lng) ||
    compare(a.speed ?? Number.POSITIVE_INFINITY, b.speed ?? Number.POSITIVE_INFINITY)
  )
}

/** Not a subtraction, as the difference of two infinities is NaN. */
const compare = (a: number, b: number): number => (a < b ? -1 : a > b ? 1 : 0)

/** Items in the order of their points, each key once: the one that counts. */
export function inOrder<T>(items: readonly T[], pointOf: (item: T) => Point): T[] {
  const sorted = items.toSorted((one, other) => {
    const [a, b] = [pointOf(one), pointOf(other)]
    return comparePoints(a, b) || comparePreference(a, b)
  })
  return sorted.filter((item, at) => {
    const before = sorted[at - 1]
    return before === undefined || !samePointKey(pointOf(before), pointOf(item))
  })
}

/** Whether two points of one participant have the same key, and so are one point sent twice. */
export function samePointKey(a: PointKey, b: PointKey): boolean {
  return a.recordedAt === b.recordedAt && a.kind === b.kind
}
