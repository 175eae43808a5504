/** What lies between two points does not count, such as the way of a beacon that was carried. */
import { countedByTail, settledWithTail } from './drift-guard'
import type { CountedKm } from './tally'
import type { Track } from './track'

const NOTHING_COUNTED: readonly CountedKm[] = []

/** The track from which the next point begins a segment, and what the tail of the drift guard counts then. */
export function breakTrack(track: Track): { track: Track; counted: readonly CountedKm[] } {
  const { guard, points, checkins, last, lastFix } = track
  const { walkedKm, motorizedKm } = guard ? settledWithTail(guard) : track
  const isCounted = track.walkedKm === walkedKm && track.motorizedKm === motorizedKm
  return {
    track: { anchor: null, noise: [], walkedKm, motorizedKm, points, checkins, last, lastFix },
    counted: guard && !isCounted ? countedByTail(guard) : NOTHING_COUNTED,
  }
}
