import { greatCircleKm, type Place } from '@palanquin/domain/geo'

/** Web face, section 6: what the distance rule counts, and no more. */
const MOVED_M_MIN = 10
const ELAPSED_MS_MIN = 30_000
export const ACCURACY_M_MAX = 100
/** After so long at one place, a point is taken every so long. */
const STILL_MS = 300_000

type Timed = Place & { recordedAt: number }
/** The last point that was kept, and since when and where the phone has not moved. */
export type Sampling = { last: Timed; stillAt: Timed } | null

const metres = (from: Place, to: Place): number => greatCircleKm({ from, to }) * 1_000

/** Whether a fix becomes a point of the track, and what is remembered for the next one. */
export function sample(
  before: Sampling,
  { lat, lng, recordedAt, accuracy }: Timed & { accuracy: number },
): { keep: boolean; after: Sampling } {
  const fix = { lat, lng, recordedAt }
  if (!(accuracy <= ACCURACY_M_MAX)) return { keep: false, after: before }
  if (before === null) return { keep: true, after: { last: fix, stillAt: fix } }
  const elapsedMs = recordedAt - before.last.recordedAt
  // The clock was set back, or an older fix came late: the service sorts by time.
  if (elapsedMs <= 0) return { keep: false, after: before }
  const stillAt = metres(before.stillAt, fix) >= MOVED_M_MIN ? fix : before.stillAt
  const isStill = recordedAt - stillAt.recordedAt >= STILL_MS
  const keep = metres(before.last, fix) >= MOVED_M_MIN || elapsedMs >= (isStill ? STILL_MS : ELAPSED_MS_MIN)
  return { keep, after: { last: keep ? fix : before.last, stillAt } }
}
