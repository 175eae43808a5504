/** The state of a participant's track: what a pass starts from and ends with. */
import type { GuardState } from './drift-guard'
import type { Fix } from './fix'
import { comparePoints, type PointKey } from './point-order'

/** The state of a track. Plain data: safe to store as JSON or columns and to continue from. */
export type Track = {
  /** The end of the last counted segment. */
  readonly anchor: Fix | null
  /** The consecutive noise points since, at most 3: a fourth may show that the anchor is wrong. */
  readonly noise: readonly Fix[]
  readonly walkedKm: number
  readonly motorizedKm: number
  /** Points taken, each key once, check-ins too, whether they count for the distance or not. */
  readonly points: number
  readonly checkins: number
  /** The key of the last point taken. */
  readonly last: PointKey | null
  /** Where the last point taken was, whatever its accuracy. */
  readonly lastFix: Fix | null
  /** With `GPS_DRIFT_GUARD`: what may become a stay. The fields above are as if no point followed. */
  readonly guard?: GuardState
}

/** The track of a participant who has sent nothing yet. */
export function emptyTrack(): Track {
  return {
    anchor: null,
    noise: [],
    walkedKm: 0,
    motorizedKm: 0,
    points: 0,
    checkins: 0,
    last: null,
    lastFix: null,
  }
}

/** Kilometres walked and driven. */
export function distanceKm(track: Track): number {
  return track.walkedKm + track.motorizedKm
}

/** Whether a point comes after all counted ones; else the track has to be rebuilt. */
export function isAfter(track: Track, point: PointKey): boolean {
  return track.last === null || comparePoints(point, track.last) > 0
}
