import { Nullable, Timestamp } from '@palanquin/db/rows'
import Type, { type Static } from 'typebox'
import { ADD_TO_ROLLUPS } from '../rollup/add.ts'

/** A batch is one statement over thousands of rows; on a slow disk it takes its time. */
export const FLUSH_DEADLINE_MS = 20_000

/** A point of a batch as a row. */
const POINT_ROW = `(u text, t timestamptz, k smallint, lat double precision, lng double precision, acc double precision,
  spd double precision, alt real, hdg real, s text, n text, r timestamptz, bat smallint)`

/** Whether a point counts instead of the stored one with its key: the domain's `comparePreference`. */
const COUNTS_INSTEAD = `
  (coalesce(point.acc, 'infinity'), point.lat, point.lng, coalesce(point.spd, 'infinity'))
    < (coalesce(stored.accuracy, 'infinity'), stored.lat, stored.lng, coalesce(stored.speed, 'infinity'))`

/**
 * A batch in ONE statement. `moved` is a compare and swap on the shard's version; every other part selects from it, so
 * nothing happens where another flusher was faster. The points' key makes a repeated point count once; of two with one
 * key the better one stays, whichever came first. Only a late point that the insert really took, or that replaced
 * another, marks a track for a rebuild. The rollups are updated in the same statement. What a device sent while it carried
 * a beacon ($12) is stored apart, where no figure is taken from.
 */
export const STORE_BATCH = `
WITH moved AS (
  UPDATE tracking.flush_cursors SET cursor = $3, version = version + 1
   WHERE shard = $1 AND version = $2 RETURNING version
), inserted AS (
  INSERT INTO tracking.points (user_id, recorded_at, kind, lat, lng, accuracy, speed, altitude, heading, source, note, received_at, battery)
  SELECT u, t, k, lat, lng, acc, spd, alt, hdg, s, n, r, bat
    FROM moved, json_to_recordset($4::text::json) AS point${POINT_ROW}
  ON CONFLICT DO NOTHING
  RETURNING user_id, recorded_at, kind, lat, lng
), carried AS (
  INSERT INTO tracking.carried_points (user_id, recorded_at, kind, lat, lng, accuracy, speed, altitude, heading, source, note, received_at, battery)
  SELECT u, t, k, lat, lng, acc, spd, alt, hdg, s, n, r, bat
    FROM moved, json_to_recordset($12::text::json) AS point${POINT_ROW}
  ON CONFLICT DO NOTHING
  RETURNING 1
), preferred AS (
  SELECT point.*, stored.lat AS old_lat, stored.lng AS old_lng
    FROM moved, json_to_recordset($10::text::json) AS point${POINT_ROW}
    JOIN tracking.points AS stored ON stored.user_id = point.u AND stored.recorded_at = point.t AND stored.kind = point.k
   WHERE ${COUNTS_INSTEAD}
), replaced AS (
  UPDATE tracking.points AS stored SET lat = point.lat, lng = point.lng, accuracy = point.acc, speed = point.spd,
         altitude = point.alt, heading = point.hdg, source = point.s, note = point.n, received_at = point.r, battery = point.bat
    FROM preferred AS point
   WHERE stored.user_id = point.u AND stored.recorded_at = point.t AND stored.kind = point.k
), planned AS (
  SELECT track.*
    FROM moved, json_to_recordset($5::text::json) AS track(
      u text, walked double precision, motorized double precision, points integer, checkins integer, state jsonb,
      lat double precision, lng double precision, at timestamptz, acc double precision, entry text, seen timestamptz,
      late boolean, counted_at timestamptz, counted_kind smallint, unreadable boolean)
), fresh AS (
  SELECT user_id, recorded_at, kind FROM inserted UNION ALL SELECT u, t, k FROM preferred
), late AS (
  SELECT planned.u, min(fresh.recorded_at) AS since
    FROM planned JOIN fresh ON fresh.user_id = planned.u
   WHERE planned.late AND (planned.counted_at IS NULL
      OR (fresh.recorded_at, fresh.kind) <= (planned.counted_at, planned.counted_kind))
   GROUP BY planned.u
), advanced AS (
  INSERT INTO tracking.tracks AS stored (user_id, shard, version, walked_km, motorized_km, points, checkins, state,
      last_lat, last_lng, last_at, last_accuracy, moved_id, last_seen_at, needs_rebuild, rebuild_from, rebuild_marked_at)
  SELECT planned.u, $1, moved.version, walked, motorized, points, checkins, state, lat, lng, at, acc, entry, seen,
         unreadable OR late.u IS NOT NULL, CASE WHEN unreadable THEN '-infinity' ELSE late.since END,
         CASE WHEN unreadable OR late.u IS NOT NULL THEN now() END
    FROM moved, planned LEFT JOIN late ON late.u = planned.u
  ON CONFLICT (user_id) DO UPDATE SET
    version = excluded.version, walked_km = excluded.walked_km, motorized_km = excluded.motorized_km,
    points = excluded.points, checkins = excluded.checkins, state = excluded.state,
    last_lat = excluded.last_lat, last_lng = excluded.last_lng, last_at = excluded.last_at,
    last_accuracy = excluded.last_accuracy, moved_id = excluded.moved_id,
    last_seen_at = greatest(stored.last_seen_at, excluded.last_seen_at),
    needs_rebuild = stored.needs_rebuild OR excluded.needs_rebuild,
    rebuild_from = CASE WHEN stored.needs_rebuild AND stored.rebuild_from IS NULL THEN NULL
                        ELSE least(stored.rebuild_from, excluded.rebuild_from) END,
    rebuild_marked_at = coalesce(stored.rebuild_marked_at, excluded.rebuild_marked_at)
), checkpointed AS (
  INSERT INTO tracking.checkpoints (user_id, at, open_from, state)
  SELECT u, at, open, state
    FROM moved, json_to_recordset($11::text::json) AS checkpoint(u text, at timestamptz, open timestamptz, state jsonb)
  ON CONFLICT (user_id, at) DO UPDATE SET open_from = excluded.open_from, state = excluded.state
), aside AS (
  INSERT INTO tracking.set_aside (shard, entry_id, position, reason, entry)
  SELECT $1, id, position, reason, entry
    FROM moved, json_to_recordset($6::text::json) AS bad(id text, position integer, reason text, entry jsonb)
  ON CONFLICT DO NOTHING
), published AS (
  INSERT INTO tracking.outbox (type, data)
  SELECT 'track.advanced', data FROM moved, json_to_recordset($7::text::json) AS event(data jsonb)
), ${ADD_TO_ROLLUPS}
SELECT version, (SELECT count(*) FROM inserted) + (SELECT count(*) FROM carried) AS inserted, (SELECT count(*) FROM late) AS late FROM moved`

export const StoredRow = Type.Object({
  version: Type.Integer(),
  inserted: Type.Integer(),
  late: Type.Integer(),
})
/** The shard's new version, how many points were new, how many participants wait for a rebuild now. */
export type StoredRow = Static<typeof StoredRow>

export const READ_TRACKS = `
SELECT user_id, walked_km, motorized_km, points, checkins, state, needs_rebuild, last_lat, last_lng, last_at,
       last_accuracy, moved_id
  FROM tracking.tracks WHERE user_id = ANY($1::text[])`

export const TrackRow = Type.Object({
  user_id: Type.String(),
  walked_km: Type.Number(),
  motorized_km: Type.Number(),
  points: Type.Integer(),
  checkins: Type.Integer(),
  /** Checked before it is used: one unreadable row must not hold up the flush of all others. */
  state: Type.Unknown(),
  needs_rebuild: Type.Boolean(),
  last_lat: Nullable(Type.Number()),
  last_lng: Nullable(Type.Number()),
  last_at: Nullable(Timestamp),
  last_accuracy: Nullable(Type.Number()),
  moved_id: Nullable(Type.String()),
})
export type TrackRow = Static<typeof TrackRow>

export const ENSURE_PARTITIONS =
  'SELECT tracking.ensure_points_partition(day::date) FROM unnest($1::text[]) AS day'
