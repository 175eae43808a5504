/** Checkpoints from which a rebuild can continue instead of starting at the first point. */
import { advanceCounting, type DistanceOptions, type Track } from '../distance'
import type { Point } from '../point'
import type { CountedKm } from './tally'

/** Points that a rebuild reads before the late one; a checkpoint has half a kilobyte. */
export const CHECKPOINT_POINTS = 200
/** No checkpoint is made while the drift guard holds back more fixes than this. */
const TAIL_FIXES_MAX = 64

export type Checkpoint = {
  /** The track, its kilometres those that are certain. */
  readonly track: Track
  /** When its last point was recorded, in epoch ms: later points do not change it. */
  readonly at: number
  /** Epoch ms: what was counted ended by then, and what will be counted ends no earlier. */
  readonly openFrom: number
}

/** The checkpoint of a track; null for an empty one, or where too much is held back. */
export function checkpointOf(track: Track): Checkpoint | null {
  const { guard, last } = track
  const settled = guard?.settled ?? track
  const tail = guard?.tail ?? []
  if (last === null || tail.length > TAIL_FIXES_MAX) return null
  const { walkedKm, motorizedKm, noise } = settled
  const open = [noise[0], tail[0], last].flatMap((one) => one?.recordedAt ?? [])
  return { track: { ...track, walkedKm, motorizedKm }, at: last.recordedAt, openFrom: Math.min(...open) }
}

/** `advanceCounting` with the checkpoints on the way: one at every multiple of `CHECKPOINT_POINTS`. */
export function advanceWithCheckpoints(
  track: Track,
  points: readonly Point[],
  options: DistanceOptions = {},
): { track: Track; counted: readonly CountedKm[]; checkpoints: readonly Checkpoint[] } {
  const counted: CountedKm[] = []
  const checkpoints: Checkpoint[] = []
  let advanced = track
  for (let from = 0; from < points.length; ) {
    const until = from + CHECKPOINT_POINTS - (advanced.points % CHECKPOINT_POINTS)
    const step = advanceCounting(advanced, points.slice(from, until), options)
    from = until
    advanced = step.track
    for (const km of step.counted) counted.push(km)
    const passed = advanced.points % CHECKPOINT_POINTS === 0 ? checkpointOf(advanced) : null
    if (passed !== null) checkpoints.push(passed)
  }
  return { track: advanced, counted, checkpoints }
}
