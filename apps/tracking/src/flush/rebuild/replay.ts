import type { Database } from '@palanquin/db/client'
import { emptyTrack, type Track } from '@palanquin/domain/distance'
import type { Checkpoint } from '@palanquin/domain/distance/checkpoint'
import { readTrackState } from '@palanquin/domain/distance/packed-track'
import type { CountedKm } from '@palanquin/domain/distance/tally'
import type { Point } from '@palanquin/domain/point'
import type { Log } from '@palanquin/service/log'
import { advanceApart, type CarriedSpans } from '../carried.ts'
import type { FlushMetrics } from '../metrics.ts'
import { FLUSH_DEADLINE_MS } from '../statements.ts'
import { type PointRow, READ_PAGE, type WaitingRow } from './statements.ts'

/** Stored points read at a time: memory stays flat for a participant of nine days. */
const PAGE_POINTS = 10_000

export type ReplayContext = { db: Database; driftGuard: boolean; metrics: FlushMetrics; log: Log }

/** Where a replay starts: a checkpoint, or the first point of all (null). */
export type Origin = Pick<Checkpoint, 'track' | 'at' | 'openFrom'> | null

/** A recomputed track, its kilometres since the origin by the time they were counted, and the new checkpoints. */
export type Replayed = {
  userId: string
  origin: Origin
  track: Track
  counted: readonly CountedKm[]
  checkpoints: readonly Checkpoint[]
  /** How many points were read for it. */
  read: number
}

/**
 * One pass of the domain's rules over what is stored of a participant since the checkpoint, in order.
 * @throws StoreUnavailable when PostgreSQL is away
 */
export async function replayTrack(
  context: ReplayContext,
  waiting: WaitingRow,
  carried: CarriedSpans,
): Promise<Replayed> {
  const { db, driftGuard } = context
  const userId = waiting.user_id
  const spans = carried.get(userId)
  const origin = originOf(context, waiting)
  const counted: CountedKm[] = []
  const checkpoints: Checkpoint[] = []
  let track = origin?.track ?? emptyTrack()
  let after = keyOf(track)
  let read = 0
  for (;;) {
    const rows: PointRow[] = await db.query<PointRow>(
      READ_PAGE,
      [userId, after.at, 'infinity', after.kind, PAGE_POINTS],
      { deadlineMs: FLUSH_DEADLINE_MS },
    )
    read += rows.length
    const page = advanceApart(track, rows.filter(isReadable).map(pointOf), { spans, driftGuard })
    track = page.track
    for (const km of page.counted) counted.push(km)
    for (const checkpoint of page.checkpoints) checkpoints.push(checkpoint)
    const last = rows.at(-1)
    if (!last || rows.length < PAGE_POINTS) break
    after = { at: last.recorded_at.toISOString(), kind: last.kind }
  }
  return { userId, origin, track, counted, checkpoints, read }
}

function originOf({ metrics, log }: ReplayContext, { at, open_from, state }: WaitingRow): Origin {
  if (at === null || open_from === null) return null
  const track = readTrackState(state)
  if (track !== null) return { track, at: at.getTime(), openFrom: open_from.getTime() }
  metrics.unreadable.inc({ what: 'checkpoint' })
  log.error(
    { event: 'flush.checkpoint_unreadable' },
    'A checkpoint is unreadable; the track is rebuilt from its first point',
  )
  return null
}

/** The key after which the stored points are new to a track. */
const keyOf = ({ last }: Track): { at: string; kind: number } =>
  last === null
    ? { at: '-infinity', kind: 0 }
    : { at: new Date(last.recordedAt).toISOString(), kind: last.kind === 'checkin' ? 0 : 1 }

/** PostgreSQL allows NaN and infinity; such a row was not written by a flush. */
const isReadable = ({ lat, lng }: PointRow): boolean => Number.isFinite(lat) && Number.isFinite(lng)

/** What the distance needs of a stored point. */
const pointOf = ({ recorded_at, kind, lat, lng, accuracy, speed }: PointRow): Point => ({
  kind: kind === 0 ? 'checkin' : 'track',
  recordedAt: recorded_at.getTime(),
  lat,
  lng,
  accuracy,
  speed,
  altitude: null,
  heading: null,
  source: '',
})
