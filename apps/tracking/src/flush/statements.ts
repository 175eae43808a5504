import { Nullable, Timestamp } from '@palanquin/db/rows'
import Type, { type Static } from 'typebox'
import { addToRollups } from '../rollup/add.ts'
import { CELLS, FRESH, instant, NEW_TRACKS, QUARTERS, TRACKS } from './batch-rows.ts'

/** A batch is one statement over thousands of rows; on a slow disk it takes its time. */
export const FLUSH_DEADLINE_MS = 20_000

/** A point of a batch as a row. */
const POINT_ROW = `(u text, t timestamptz, k smallint, lat double precision, lng double precision, acc double precision,
  spd double precision, alt real, hdg real, s text, n text, r timestamptz, bat smallint)`

const POINT_COLUMNS =
  'user_id, recorded_at, kind, lat, lng, accuracy, speed, altitude, heading, source, note, received_at, battery'

const TRACK_COLUMNS = `user_id, shard, version, walked_km, motorized_km, points, checkins, state, last_lat, last_lng, last_at,
  last_accuracy, moved_id, last_seen_at, needs_rebuild, rebuild_from, rebuild_marked_at`
const TRACK_VALUES = `track.u, $1, moved.version, coalesce(walked, 0), coalesce(motorized, 0), points, coalesce(checkins, 0),
  state, lat, lng, ${instant('at')}, acc, entry, ${instant('seen')}`

/** Whether a point counts instead of the stored one with its key: the domain's `comparePreference`. */
const COUNTS_INSTEAD = `
  (coalesce(point.acc, 'infinity'), point.lat, point.lng, coalesce(point.spd, 'infinity'))
    < (coalesce(stored.accuracy, 'infinity'), stored.lat, stored.lng, coalesce(stored.speed, 'infinity'))`

/**
 * A batch in ONE statement. `moved` is a compare and swap on the shard's version; every other part selects from it, so
 * nothing happens where another flusher was faster. Points after the last one counted of their track are new, and just
 * inserted, as are the tracks of participants who had none: whatever else stores them moves the version too. Of all other
 * points ($4) the key makes a repeated one count once; of two with one key the better one stays, whichever came first. Only a
 * late point that the insert really took, or that replaced another, marks a track for a rebuild. The rollups are updated in
 * the same statement. What a device sent while it carried a beacon ($5) is stored apart, where no figure is taken from.
 * @throws where a point or track is stored that is taken for new (SQLSTATE 23505): tracks and points disagree
 */
export const STORE_BATCH = `
WITH moved AS (
  UPDATE tracking.flush_cursors SET cursor = $3, version = version + 1
   WHERE shard = $1 AND version = $2 RETURNING version
), fresh AS (
  INSERT INTO tracking.points (${POINT_COLUMNS})
  SELECT u, ${instant('t')}, coalesce(k, 1), lat, lng, acc, spd, alt, hdg, s, n, ${instant('r')}, bat FROM ${FRESH.sql} AS point
), inserted AS (
  INSERT INTO tracking.points (${POINT_COLUMNS})
  SELECT u, t, k, lat, lng, acc, spd, alt, hdg, s, n, r, bat
    FROM moved, json_to_recordset($4::text::json) AS point${POINT_ROW}
  ON CONFLICT DO NOTHING
  RETURNING user_id, recorded_at, kind, lat, lng
), carried AS (
  INSERT INTO tracking.carried_points (${POINT_COLUMNS})
  SELECT u, t, k, lat, lng, acc, spd, alt, hdg, s, n, r, bat
    FROM moved, json_to_recordset($5::text::json) AS point${POINT_ROW}
  ON CONFLICT DO NOTHING
  RETURNING 1
), preferred AS (
  SELECT point.*, stored.lat AS old_lat, stored.lng AS old_lng
    FROM moved, json_to_recordset($4::text::json) AS point${POINT_ROW}
    JOIN tracking.points AS stored ON stored.user_id = point.u AND stored.recorded_at = point.t AND stored.kind = point.k
   WHERE ${COUNTS_INSTEAD}
), replaced AS (
  UPDATE tracking.points AS stored SET lat = point.lat, lng = point.lng, accuracy = point.acc, speed = point.spd,
         altitude = point.alt, heading = point.hdg, source = point.s, note = point.n, received_at = point.r, battery = point.bat
    FROM preferred AS point
   WHERE stored.user_id = point.u AND stored.recorded_at = point.t AND stored.kind = point.k
), checked AS (
  SELECT track.* FROM moved, json_to_recordset($6::text::json) AS track(
    u text, counted_at timestamptz, counted_kind smallint, unreadable boolean)
), late AS (
  SELECT checked.u, min(new.recorded_at) AS since
    FROM checked JOIN (SELECT user_id, recorded_at, kind FROM inserted UNION ALL SELECT u, t, k FROM preferred) AS new
      ON new.user_id = checked.u
   WHERE checked.counted_at IS NULL OR (new.recorded_at, new.kind) <= (checked.counted_at, checked.counted_kind)
   GROUP BY checked.u
), marked AS (
  SELECT checked.u, CASE WHEN checked.unreadable THEN '-infinity' ELSE late.since END AS since
    FROM checked LEFT JOIN late ON late.u = checked.u WHERE checked.unreadable OR late.u IS NOT NULL
), begun AS (
  INSERT INTO tracking.tracks (${TRACK_COLUMNS}) SELECT ${TRACK_VALUES}, false, NULL, NULL FROM moved, ${NEW_TRACKS.sql} AS track
), advanced AS (
  INSERT INTO tracking.tracks AS stored (${TRACK_COLUMNS})
  SELECT ${TRACK_VALUES}, marked.u IS NOT NULL, marked.since, CASE WHEN marked.u IS NOT NULL THEN now() END
    FROM moved, ${TRACKS.sql} AS track LEFT JOIN marked ON marked.u = track.u
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
    FROM moved, json_to_recordset($10::text::json) AS checkpoint(u text, at timestamptz, open timestamptz, state jsonb)
  ON CONFLICT (user_id, at) DO UPDATE SET open_from = excluded.open_from, state = excluded.state
), aside AS (
  INSERT INTO tracking.set_aside (shard, entry_id, position, reason, entry)
  SELECT $1, id, position, reason, entry
    FROM moved, json_to_recordset($7::text::json) AS bad(id text, position integer, reason text, entry jsonb)
  ON CONFLICT DO NOTHING
), published AS (
  INSERT INTO tracking.outbox (type, data)
  SELECT 'track.advanced', data::json FROM moved, string_to_table($9, E'\\n') AS data
), ${addToRollups({ zone: '$8', quarters: QUARTERS.sql, cells: CELLS.sql })}
SELECT version, (SELECT count(*) FROM inserted) + (SELECT count(*) FROM carried) AS inserted, (SELECT count(*) FROM late) AS late FROM moved`

export const StoredRow = Type.Object({
  version: Type.Integer(),
  inserted: Type.Integer(),
  late: Type.Integer(),
})
/** The shard's new version, how many of the points that may have been stored were new, how many participants wait for a rebuild now. */
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
  state: Type.String(),
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
