import { Nullable, Timestamp } from '@palanquin/db/rows'
import Type, { type Static } from 'typebox'
import { readPage } from '../../packed/page.ts'
import { RECOUNT_ROLLUPS } from '../../rollup/recount.ts'

/** The same compare and swap as a batch: nothing happens when a flush stored anything in the meantime. */
export const STORE_REBUILT = `
WITH moved AS (
  UPDATE tracking.flush_cursors SET version = version + 1 WHERE shard = $1 AND version = $2 RETURNING version
), track AS (
  SELECT track.* FROM moved, json_to_recordset($3::text::json) AS track(
    u text, walked double precision, motorized double precision, points integer, checkins integer, state text,
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
), published AS (
  INSERT INTO tracking.outbox (type, data)
  SELECT 'track.advanced', data::json FROM moved, string_to_table($4, E'\\n') AS data
), ${RECOUNT_ROLLUPS}
SELECT version FROM moved`

export const RebuiltRow = Type.Object({ version: Type.Integer() })

/** A checkpoint is valid when everything that came late was recorded after it. Without `rebuild_from` none is. */
export const READ_WAITING = `
SELECT waiting.user_id, checkpoint.at, checkpoint.open_from, checkpoint.state
  FROM (SELECT user_id, rebuild_from, rebuild_marked_at FROM tracking.tracks
         WHERE shard = $1 AND needs_rebuild AND user_id <> ALL($2::text[])
         ORDER BY rebuild_marked_at NULLS FIRST, user_id LIMIT $3) AS waiting
  LEFT JOIN LATERAL (
    SELECT at, open_from, state FROM tracking.checkpoints
     WHERE checkpoints.user_id = waiting.user_id AND at < waiting.rebuild_from ORDER BY at DESC LIMIT 1) AS checkpoint ON true
 ORDER BY waiting.rebuild_marked_at NULLS FIRST, waiting.user_id`

/** A track that waits for its rebuild, and the last checkpoint that its late points leave valid. */
export const WaitingRow = Type.Object({
  user_id: Type.String(),
  at: Nullable(Timestamp),
  open_from: Nullable(Timestamp),
  state: Type.Unknown(),
})
export type WaitingRow = Static<typeof WaitingRow>

/** A row that was not written by a flush may hold NaN or infinity instead of a place. */
export const PointRow = Type.Object({
  recorded_at: Timestamp,
  kind: Type.Integer(),
  lat: Type.Number(),
  lng: Type.Number(),
  accuracy: Nullable(Type.Number()),
  speed: Nullable(Type.Number()),
})
export type PointRow = Static<typeof PointRow>

export const READ_PAGE = readPage('points', Object.keys(PointRow.properties).join(', '))
