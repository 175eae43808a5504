/** Where a rebuild may go on from, instead of from the first point. */
import { advanceCounting, type DistanceOptions, type Track } from '../distance'
import type { Point } from '../point'
import type { CountedKm } from './tally'

/**
 * Points between two checkpoints: what a late point makes a rebuild read beside what follows it. Thirty million points
 * have 150,000 checkpoints of half a kilobyte.
 */
export const CHECKPOINT_POINTS = 200
/** More fixes than this that the drift guard holds back are not worth keeping; the next checkpoint will do. */
const TAIL_FIXES_MAX = 64

export type Checkpoint = {
  /** The track, its kilometres those that are certain. */
  readonly track: Track
  /** When its last point was recorded: what is recorded later does not touch it. Epoch ms. */
  readonly at: number
  /** What it counted ended by then, and what is counted from here on ends no earlier. Epoch ms. */
  readonly openFrom: number
}

/** The checkpoint at a track; null where it is none (nothing taken yet, or too much held back). */
export function checkpointOf(track: Track): Checkpoint | null {
  const { guard, last } = track
  const settled = guard?.settled ?? track
  const tail = guard?.tail ?? []
  if (last === null || tail.length > TAIL_FIXES_MAX) return null
  const { walkedKm, motorizedKm, noise } = settled
  const open = [noise[0], tail[0], last].flatMap((one) => one?.recordedAt ?? [])
  return {
    track: { ...track, walkedKm, motorizedKm },
    at: last.recordedAt,
    openFrom: Math.min(...open),
  }
}

/** `advanceCounting`, and the checkpoints that it passed: one at every multiple of `CHECKPOINT_POINTS`. */
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
