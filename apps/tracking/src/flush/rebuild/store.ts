import type { Database } from '@palanquin/db/client'
import { packTrack } from '@palanquin/domain/distance/packed-track'
import { toIso } from '@palanquin/domain/time'
import { kilometreRows } from '../../rollup/kilometres.ts'
import type { AggregateTimeZone } from '../../rollup/time-zone.ts'
import { advancedEvents, checkpointRows } from '../rows.ts'
import { FLUSH_DEADLINE_MS } from '../statements.ts'
import type { Replayed } from './replay.ts'
import { RebuiltRow, STORE_REBUILT } from './statements.ts'

/**
 * Stores tracks that were recomputed, as of a version of their shard. False when another flusher was faster, and
 * nothing was done. @throws StoreUnavailable when PostgreSQL is away or late; they may be stored then
 */
export async function storeRebuilt(
  { db, zone }: { db: Database; zone: AggregateTimeZone },
  { shard, version, tracks }: { shard: number; version: number; tracks: readonly Replayed[] },
): Promise<boolean> {
  const moved = await db.queryAs(
    RebuiltRow,
    STORE_REBUILT,
    [
      shard,
      version,
      JSON.stringify(tracks.map(trackRow)),
      advancedEvents(shard, tracks),
      zone.name,
      JSON.stringify(tracks.flatMap(({ userId, counted }) => kilometreRows(userId, counted))),
      tracks.map(({ userId }) => userId),
      JSON.stringify(tracks.flatMap(({ userId, checkpoints }) => checkpointRows(userId, checkpoints))),
    ],
    { deadlineMs: FLUSH_DEADLINE_MS },
  )
  return moved.length > 0
}

const trackRow = ({ userId, track, origin }: Replayed) => ({
  u: userId,
  walked: track.walkedKm,
  motorized: track.motorizedKm,
  points: track.points,
  checkins: track.checkins,
  state: packTrack(track),
  origin: origin && toIso(origin.at),
  open: origin && toIso(origin.openFrom),
  origin_walked: origin?.track.walkedKm,
  origin_motorized: origin?.track.motorizedKm,
})
