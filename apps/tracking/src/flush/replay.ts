import type { Database } from '@palanquin/db/client'
import { emptyTrack, type Track } from '@palanquin/domain/distance'
import { advanceWithCheckpoints, type Checkpoint } from '@palanquin/domain/distance/checkpoint'
import type { CountedKm } from '@palanquin/domain/distance/tally'
import type { Point } from '@palanquin/domain/point'
import type { Log } from '@palanquin/service/log'
import type { FlushMetrics } from './metrics.ts'
import { readTrack } from './read-track.ts'
import { FLUSH_DEADLINE_MS } from './tracks.ts'

/** Stored points read at a time: memory stays flat for a participant of nine days. */
const PAGE_POINTS = 10_000

export type ReplayContext = { db: Database; driftGuard: boolean; metrics: FlushMetrics; log: Log }

/** A track that waits for its rebuild, and the last checkpoint that its late points leave valid. */
export type WaitingTrack = {
  user_id: string
  at: Date | null
  open_from: Date | null
  state: unknown
}

/** Where a replay begins: a checkpoint, or the first point of all (null). */
export type Origin = Pick<Checkpoint, 'track' | 'at' | 'openFrom'> | null

/** A track computed anew, when its kilometres were counted since the origin, and the checkpoints behind that. */
export type Replayed = {
  userId: string
  origin: Origin
  track: Track
  counted: readonly CountedKm[]
  checkpoints: readonly Checkpoint[]
  /** How many points were read for it. */
  read: number
}

type PointRow = {
  recorded_at: Date
  kind: number
  lat: number
  lng: number
  accuracy: number | null
  speed: number | null
}

export const READ_PAGE = `
SELECT recorded_at, kind, lat, lng, accuracy, speed FROM tracking.points
 WHERE user_id = $1 AND (recorded_at, kind) > ($2::text::timestamptz, $3::smallint)
 ORDER BY recorded_at, kind LIMIT $4`

/**
 * One pass of the domain's rules over what is stored of a participant since the checkpoint, in order.
 * @throws StoreUnavailable when PostgreSQL is away
 */
export async function replayTrack(context: ReplayContext, waiting: WaitingTrack): Promise<Replayed> {
  const { db, driftGuard } = context
  const userId = waiting.user_id
  const origin = originOf(context, waiting)
  const counted: CountedKm[] = []
  const checkpoints: Checkpoint[] = []
  let track = origin?.track ?? emptyTrack()
  let after = keyOf(track)
  let read = 0
  for (;;) {
    const rows: PointRow[] = await db.query<PointRow>(
      READ_PAGE,
      [userId, after.at, after.kind, PAGE_POINTS],
      {
        deadlineMs: FLUSH_DEADLINE_MS,
      },
    )
    read += rows.length
    const page = advanceWithCheckpoints(track, rows.filter(isReadable).map(pointOf), { driftGuard })
    track = page.track
    for (const km of page.counted) counted.push(km)
    for (const checkpoint of page.checkpoints) checkpoints.push(checkpoint)
    const last = rows.at(-1)
    if (!last || rows.length < PAGE_POINTS) break
    after = { at: last.recorded_at.toISOString(), kind: last.kind }
  }
  return { userId, origin, track, counted, checkpoints, read }
}

function originOf({ metrics, log }: ReplayContext, { at, open_from, state }: WaitingTrack): Origin {
  if (at === null || open_from === null) return null
  const track = readTrack(state)
  if (track !== null) return { track, at: at.getTime(), openFrom: open_from.getTime() }
  metrics.unreadable.inc({ what: 'checkpoint' })
  log.error(
    { event: 'flush.checkpoint_unreadable' },
    'a checkpoint cannot be read: the track is rebuilt from its first point',
  )
  return null
}

/** Behind the last point of a track; behind nothing where it has none. */
const keyOf = ({ last }: Track): { at: string; kind: number } =>
  last === null
    ? { at: '-infinity', kind: 0 }
    : { at: new Date(last.recordedAt).toISOString(), kind: last.kind === 'checkin' ? 0 : 1 }

/** PostgreSQL knows NaN and infinity; no place of ours is one. Such a row was not written by a flush. */
const isReadable = ({ lat, lng }: PointRow): boolean => Number.isFinite(lat) && Number.isFinite(lng)

/** Of a stored point what the distance looks at. */
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
