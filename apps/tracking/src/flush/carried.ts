import type { Database } from '@palanquin/db/client'
import { Nullable, Timestamp } from '@palanquin/db/rows'
import { breakTrack } from '@palanquin/domain/distance/break'
import { advanceWithCheckpoints, type Checkpoint } from '@palanquin/domain/distance/checkpoint'
import type { CountedKm } from '@palanquin/domain/distance/tally'
import type { Track } from '@palanquin/domain/distance/track'
import type { Point } from '@palanquin/domain/point'
import Type from 'typebox'

/** A time in which a device carried a beacon, in epoch ms; null while it still does. */
export type Span = { readonly since: number; readonly until: number | null }

/** When each device carried a beacon; who never did is not in the map. */
export type CarriedSpans = ReadonlyMap<string, readonly Span[]>

const READ_SPANS = 'SELECT user_id, since, until FROM tracking.carrying ORDER BY user_id, since'
const SpanRow = Type.Object({ user_id: Type.String(), since: Timestamp, until: Nullable(Timestamp) })

/** All of them: a few hundred rows at most. @throws StoreUnavailable */
export async function readCarriedSpans(db: Database): Promise<CarriedSpans> {
  const spans = new Map<string, Span[]>()
  for (const { user_id: userId, since, until } of await db.queryAs(SpanRow, READ_SPANS)) {
    const span = { since: since.getTime(), until: until?.getTime() ?? null }
    const known = spans.get(userId)
    if (known) known.push(span)
    else spans.set(userId, [span])
  }
  return spans
}

/**
 * Whether a point was recorded while its device carried a beacon. The recorded time decides, not the time of arrival, so
 * that a repeat, a replay and what a phone kept offline are judged alike whenever they come.
 */
export const isCarried = (spans: readonly Span[] | undefined, recordedAt: number): boolean =>
  spans?.some(({ since, until }) => since <= recordedAt && (until === null || recordedAt < until)) === true

/** `advanceWithCheckpoints` with a break at each time of carrying: its way adds nothing to the track on either side. */
export function advanceApart(
  track: Track,
  points: readonly Point[],
  { spans = [], driftGuard }: { spans?: readonly Span[] | undefined; driftGuard: boolean },
): ReturnType<typeof advanceWithCheckpoints> {
  const ends = spans.flatMap(({ until }) => until ?? [])
  if (ends.length === 0) return advanceWithCheckpoints(track, points, { driftGuard })
  const counted: CountedKm[] = []
  const checkpoints: Checkpoint[] = []
  let advanced = track
  for (let from = 0; from < points.length; ) {
    const last = advanced.last?.recordedAt ?? Number.POSITIVE_INFINITY
    const first = points[from]?.recordedAt ?? last
    if (ends.some((end) => last < end && end <= first)) {
      const broken = breakTrack(advanced)
      advanced = broken.track
      counted.push(...broken.counted)
    }
    const next = Math.min(...ends.filter((end) => end > first))
    const until = points.findIndex(({ recordedAt }, index) => index > from && recordedAt >= next)
    const step = advanceWithCheckpoints(advanced, points.slice(from, until < 0 ? undefined : until), {
      driftGuard,
    })
    from = until < 0 ? points.length : until
    advanced = step.track
    for (const km of step.counted) counted.push(km)
    for (const checkpoint of step.checkpoints) checkpoints.push(checkpoint)
  }
  return { track: advanced, counted, checkpoints }
}
