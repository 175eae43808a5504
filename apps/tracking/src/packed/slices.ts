/** A participant's hour that is still rows, and how many. */
export type Hour = { user_id: string; hour: Date; points: number }

/** Points of a statement: a fifth of a second, for which a flush of the shard may have to wait. */
const SLICE_POINTS = 10_000

/** Hours in groups of some points; an hour is never cut, and one that has more is a group of its own. */
export function slicesOf(hours: readonly Hour[], most = SLICE_POINTS): Hour[][] {
  const slices: Hour[][] = []
  let slice: Hour[] = []
  let points = 0
  for (const hour of hours) {
    if (slice.length > 0 && points + hour.points > most) {
      slices.push(slice)
      slice = []
      points = 0
    }
    slice.push(hour)
    points += hour.points
  }
  if (slice.length > 0) slices.push(slice)
  return slices
}
