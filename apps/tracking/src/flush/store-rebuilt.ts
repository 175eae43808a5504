import type { Database } from '@palanquin/db/client'
import { toIso } from '@palanquin/domain/time'
import { kilometreRows } from '../rollup/kilometres.ts'
import { RECOUNT_ROLLUPS } from '../rollup/recount.ts'
import type { AggregateTimeZone } from '../rollup/time-zone.ts'
import type { Replayed } from './replay.ts'
import { advancedEvents, checkpointRows } from './store.ts'
import { FLUSH_DEADLINE_MS } from './tracks.ts'

/** The same compare and swap as a batch: nothing happens when a flush stored anything in the meantime. */
const STORE_REBUILT = `
WITH moved AS (
  UPDATE tracking.flush_cursors SET version = version + 1 WHERE shard = $1 AND version = $2 RETURNING version
), track AS (
  SELECT track.* FROM moved, json_to_recordset($3::text::json) AS track(
    u text, walked double precision, motorized double precision, points integer, checkins integer, state jsonb,
    origin timestamptz, open timestamptz, origin_walked double precision, origin_motorized double precision)
), rebuilt AS (
  UPDATE tracking.tracks SET version = moved.version, walked_km = walked, motorized_km = motorized,
         points = track.points, checkins = track.checkins, state = track.state,
         needs_rebuild = false, rebuild_from = NULL, rebuild_marked_at = NULL
    FROM moved, track WHERE tracks.user_id = track.u
), passed AS (
  SELECT checkpoint.* FROM moved, json_to_recordset($8::text::json) AS checkpoint(
    u text, at timestamptz, open timestamptz, state jsonb)
), checkpointed AS (
  INSERT INTO tracking.checkpoints (user_id, at, open_from, state) SELECT u, at, open, state FROM passed
  ON CONFLICT (user_id, at) DO UPDATE SET open_from = excluded.open_from, state = excluded.state
), void AS (
  DELETE FROM tracking.checkpoints AS stored USING track
   WHERE stored.user_id = track.u AND (track.origin IS NULL OR stored.at > track.origin)
     AND NOT EXISTS (SELECT FROM passed WHERE passed.u = stored.user_id AND passed.at = stored.at)
), told AS (
  INSERT INTO tracking.outbox (type, data)
  SELECT 'track.advanced', data FROM moved, json_to_recordset($4::text::json) AS event(data jsonb)
), ${RECOUNT_ROLLUPS}
SELECT version FROM moved`

/**
 * Stores tracks that were computed anew, as of a version of their shard. False when somebody else was faster, and nothing
 * was done. @throws StoreUnavailable when PostgreSQL is away or late; they may be stored then
 */
export async function storeRebuilt(
  { db, zone }: { db: Database; zone: AggregateTimeZone },
  { shard, version, tracks }: { shard: number; version: number; tracks: readonly Replayed[] },
): Promise<boolean> {
  const moved = await db.query(
    STORE_REBUILT,
    [
      shard,
      version,
      JSON.stringify(tracks.map(trackRow)),
      JSON.stringify(advancedEvents(shard, tracks).map((data) => ({ data }))),
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
  state: track,
  origin: origin && toIso(origin.at),
  open: origin && toIso(origin.openFrom),
  origin_walked: origin?.track.walkedKm,
  origin_motorized: origin?.track.motorizedKm,
})
