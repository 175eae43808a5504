import type { Database } from '@palanquin/db/client'
import { emptyTrack } from '@palanquin/domain/distance'
import { unpackTrack } from '@palanquin/domain/distance/packed-track'
import type { StoredTrack } from './plan.ts'
import { FLUSH_DEADLINE_MS, READ_TRACKS, type TrackRow } from './statements.ts'

/** The tracks of these participants as they are stored; who has none is not in the map. @throws StoreUnavailable */
export async function readTracks(
  db: Database,
  userIds: readonly string[],
): Promise<Map<string, StoredTrack>> {
  const rows = await db.query<TrackRow>(READ_TRACKS, [userIds], { deadlineMs: FLUSH_DEADLINE_MS })
  return new Map(rows.map((row) => [row.user_id, storedTrack(row)]))
}

function storedTrack(row: TrackRow): StoredTrack {
  const { user_id: userId, needs_rebuild: needsRebuild, points, checkins } = row
  const figures = { walkedKm: row.walked_km, motorizedKm: row.motorized_km, points, checkins }
  const track = unpackTrack(row.state, figures)
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
