import type { Database } from '@palanquin/db/client'
import { advanceCounting, emptyTrack, type Track } from '@palanquin/domain/distance'
import type { CountedKm } from '@palanquin/domain/distance/pass'
import type { Point } from '@palanquin/domain/point'
import type { Log } from '@palanquin/service/log'
import { kilometreRows } from '../rollup/kilometres.ts'
import { RECOUNT_ROLLUPS } from '../rollup/recount.ts'
import type { AggregateZone } from '../rollup/zone.ts'
import type { FlushMetrics } from './metrics.ts'
import { advancedEvents } from './store.ts'
import { FLUSH_DEADLINE_MS, readShardState } from './tracks.ts'

/** Stored points read at a time: memory stays flat for a participant of nine days. */
const PAGE_POINTS = 10_000
/** Participants rebuilt by one pair of statements. */
const GROUP_USERS = 50
/** Rounds lost to other flushers before the rest waits for the next flush. */
const OVERTAKEN_MAX = 10

export type RebuildContext = {
  db: Database
  driftGuard: boolean
  zone: AggregateZone
  metrics: FlushMetrics
  log: Log
}

/** A track computed anew, and when all of its kilometres were counted. */
type Rebuilt = { userId: string; track: Track; counted: readonly CountedKm[] }

/** The shards in which a track waits for its rebuild. @throws StoreUnavailable */
export async function shardsToRebuild(db: Database): Promise<number[]> {
  const rows = await db.query<{ shard: number }>(
    'SELECT DISTINCT shard FROM tracking.tracks WHERE needs_rebuild ORDER BY shard',
  )
  return rows.map(({ shard }) => shard)
}

/**
 * Computes the tracks anew that a late point made wrong, from everything that is stored. Returns how many.
 * @throws StoreUnavailable when PostgreSQL is away; who is left stays marked
 */
export async function rebuildShard(context: RebuildContext, shard: number): Promise<number> {
  const { db, metrics, log } = context
  let rebuilt = 0
  let overtaken = 0
  while (overtaken < OVERTAKEN_MAX) {
    const { version } = await readShardState(db, shard)
    const marked = await db.query<{ user_id: string }>(
      'SELECT user_id FROM tracking.tracks WHERE shard = $1 AND needs_rebuild ORDER BY user_id LIMIT $2',
      [shard, GROUP_USERS],
    )
    if (marked.length === 0) return rebuilt
    const userIds = marked.map(({ user_id }) => user_id)
    const tracks = await tracksFromPoints(context, userIds)
    if (await storeRebuilt(context, { shard, version, tracks })) {
      rebuilt += tracks.length
      metrics.rebuilds.inc(tracks.length)
    } else overtaken++
  }
  log.warn({ shard }, 'other flushers were always faster; the remaining rebuilds wait for the next flush')
  return rebuilt
}

type PointRow = {
  user_id: string
  recorded_at: Date
  kind: number
  lat: number
  lng: number
  accuracy: number | null
  speed: number | null
}

export const READ_PAGE = `
SELECT user_id, recorded_at, kind, lat, lng, accuracy, speed FROM tracking.points
 WHERE user_id = $1 AND (recorded_at, kind) > ($2::text::timestamptz, $3::smallint)
 ORDER BY recorded_at, kind LIMIT $4`

/** One pass of the domain's rules over all that is stored of each participant, in order. */
async function tracksFromPoints(
  { db, driftGuard }: RebuildContext,
  userIds: readonly string[],
): Promise<Rebuilt[]> {
  const rebuilt: Rebuilt[] = []
  for (const userId of userIds) {
    let track = emptyTrack()
    const counted: CountedKm[] = []
    let after: { at: string; kind: number } = { at: '-infinity', kind: 0 }
    for (;;) {
      const rows: PointRow[] = await db.query<PointRow>(
        READ_PAGE,
        [userId, after.at, after.kind, PAGE_POINTS],
        {
          deadlineMs: FLUSH_DEADLINE_MS,
        },
      )
      const page = advanceCounting(track, rows.map(pointOf), { driftGuard })
      track = page.track
      counted.push(...page.counted)
      const last = rows.at(-1)
      if (!last || rows.length < PAGE_POINTS) break
      after = { at: last.recorded_at.toISOString(), kind: last.kind }
    }
    rebuilt.push({ userId, track, counted })
  }
  return rebuilt
}

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

/** The same compare and swap as a batch: nothing happens when a flush stored anything in the meantime. */
const STORE_REBUILT = `
WITH moved AS (
  UPDATE tracking.flush_cursors SET version = version + 1 WHERE shard = $1 AND version = $2 RETURNING version
), rebuilt AS (
  UPDATE tracking.tracks SET version = moved.version, walked_km = walked, motorized_km = motorized,
         points = track.points, checkins = track.checkins, state = track.state, needs_rebuild = false
    FROM moved, json_to_recordset($3::text::json) AS track(
      u text, walked double precision, motorized double precision, points integer, checkins integer, state jsonb)
   WHERE tracks.user_id = track.u
), told AS (
  INSERT INTO tracking.outbox (type, data)
  SELECT 'track.advanced', data FROM moved, json_to_recordset($4::text::json) AS event(data jsonb)
), ${RECOUNT_ROLLUPS}
SELECT version FROM moved`

async function storeRebuilt(
  { db, zone }: RebuildContext,
  { shard, version, tracks }: { shard: number; version: number; tracks: readonly Rebuilt[] },
): Promise<boolean> {
  const rows = tracks.map(({ userId, track }) => ({
    u: userId,
    walked: track.walkedKm,
    motorized: track.motorizedKm,
    points: track.points,
    checkins: track.checkins,
    state: track,
  }))
  const moved = await db.query(
    STORE_REBUILT,
    [
      shard,
      version,
      JSON.stringify(rows),
      JSON.stringify(advancedEvents(shard, tracks).map((data) => ({ data }))),
      zone.name,
      JSON.stringify(tracks.flatMap(({ userId, counted }) => kilometreRows(userId, counted))),
      tracks.map(({ userId }) => userId),
    ],
    { deadlineMs: FLUSH_DEADLINE_MS },
  )
  return moved.length > 0
}
