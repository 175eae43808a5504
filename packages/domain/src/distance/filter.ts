/** Specification 2.6.1. Exactly these still count. */
const SPEED_KMH_MAX = 120
const ACCURACY_M_MAX = 100

/** Rule 2.6.1: whether a point may enter the distance at all. A missing speed or accuracy passes. */
export function countsForDistance(point: {
  readonly speed: number | null
  readonly accuracy: number | null
}): boolean {
  return (
    (point.speed === null || point.speed <= SPEED_KMH_MAX) &&
    (point.accuracy === null || point.accuracy <= ACCURACY_M_MAX)
  )
}
