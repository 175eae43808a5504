import type { Database } from '@palanquin/db/client'
import { emptyTrack } from '@palanquin/domain/distance'
import type { StoredTrack } from './plan.ts'
import { readTrack } from './read-track.ts'

type TrackRow = {
  user_id: string
  walked_km: number
  motorized_km: number
  points: number
  checkins: number
  /** Checked before anything goes on from it: one row that cannot be read must not hold up everybody else. */
  state: unknown
  needs_rebuild: boolean
  last_lat: number | null
  last_lng: number | null
  last_at: Date | null
  last_accuracy: number | null
  moved_id: string | null
}

/** The tracks of these participants as they are stored; who has none is not in the map. @throws StoreUnavailable */
export async function readTracks(
  db: Database,
  userIds: readonly string[],
): Promise<Map<string, StoredTrack>> {
  const rows = await db.query<TrackRow>(
    `SELECT user_id, walked_km, motorized_km, points, checkins, state, needs_rebuild, last_lat, last_lng, last_at,
            last_accuracy, moved_id
       FROM tracking.tracks WHERE user_id = ANY($1::text[])`,
    [userIds],
    { deadlineMs: FLUSH_DEADLINE_MS },
  )
  return new Map(rows.map((row) => [row.user_id, storedTrack(row)]))
}

function storedTrack(row: TrackRow): StoredTrack {
  const track = readTrack(row.state)
  const { user_id: userId, needs_rebuild: needsRebuild, points, checkins } = row
  const figures = { walkedKm: row.walked_km, motorizedKm: row.motorized_km, points, checkins }
  return {
    userId,
    track: track ?? { ...emptyTrack(), ...figures },
    needsRebuild,
    isUnreadable: track === null,
    position: positionOf(row),
  }
}

function positionOf({ last_lat: lat, last_lng: lng, last_at: at, moved_id: movedId, ...row }: TrackRow) {
  if (lat === null || lng === null || at === null || movedId === null) return null
  return { lat, lng, recordedAt: at.getTime(), accuracy: row.last_accuracy, movedId }
}

/** A batch is one statement over thousands of rows; on a slow disk it takes its time. */
export const FLUSH_DEADLINE_MS = 20_000

/** How far a shard has been stored; `version` guards everything that a flush writes. */
export type ShardState = { cursor: string; version: number }

/** All shards. @throws StoreUnavailable */
export const readShardStates = (db: Database): Promise<(ShardState & { shard: number })[]> =>
  db.query('SELECT shard, cursor, version FROM tracking.flush_cursors ORDER BY shard')

/** @throws StoreUnavailable when PostgreSQL is away */
export async function readShardState(db: Database, shard: number): Promise<ShardState> {
  const [state] = await db.query<ShardState>(
    'SELECT cursor, version FROM tracking.flush_cursors WHERE shard = $1',
    [shard],
  )
  if (!state)
    throw new Error(`tracking.flush_cursors has no row for shard ${shard}: were the migrations run?`)
  return state
}
