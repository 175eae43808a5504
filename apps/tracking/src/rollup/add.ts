import { cellIndexSql, ROLLUP_LEVEL } from '@palanquin/domain/grid'

/** The cells of `lat` and `lng`, as columns of `tracking.cells`. */
export const CELL_COLUMNS = `${cellIndexSql('lat', ROLLUP_LEVEL)} AS lat_cell, ${cellIndexSql('lng', ROLLUP_LEVEL)} AS lng_cell`

/**
 * Adds a batch to the rollups, as parts of the statement that stores it, so that rollups cannot differ from points and
 * tracks. They follow from `inserted` (rows that the insert took), from `preferred` (rows that replaced another), and from
 * the kilometres that the pass counted; without a row of `moved`, the compare and swap, nothing happens. $1 is the shard,
 * $8 the time zone, $9 the kilometres. The statement's snapshot is what the last holder of the shard's version left, so a
 * participant without points in an hour, or on a day, has the first ones here.
 */
export const ADD_TO_ROLLUPS = `
counted AS (
  SELECT user_id, date_trunc('hour', recorded_at, $8) AS hour, count(*) AS points,
         count(*) FILTER (WHERE kind = 0) AS checkins
    FROM inserted GROUP BY 1, 2
), covered AS (
  SELECT u AS user_id, date_trunc('hour', quarter, $8) AS hour, sum(walked) AS walked_km, sum(motorized) AS motorized_km
    FROM moved, json_to_recordset($9::text::json) AS km(
      u text, quarter timestamptz, walked double precision, motorized double precision)
   GROUP BY 1, 2
), by_hour AS (
  SELECT user_id, hour, (hour AT TIME ZONE $8)::date AS day,
         coalesce(counted.points, 0) AS points, coalesce(counted.checkins, 0) AS checkins,
         coalesce(covered.walked_km, 0) AS walked_km, coalesce(covered.motorized_km, 0) AS motorized_km,
         counted.points > 0 AND coalesce(known.points, 0) = 0 AS is_first
    FROM counted FULL JOIN covered USING (user_id, hour)
         LEFT JOIN tracking.participant_hours AS known USING (user_id, hour)
), kept_participant_hours AS (
  INSERT INTO tracking.participant_hours AS stored (user_id, hour, day, points, checkins, walked_km, motorized_km)
  SELECT user_id, hour, day, points, checkins, walked_km, motorized_km FROM by_hour
  ON CONFLICT (user_id, hour) DO UPDATE SET
    points = stored.points + excluded.points, checkins = stored.checkins + excluded.checkins,
    walked_km = stored.walked_km + excluded.walked_km, motorized_km = stored.motorized_km + excluded.motorized_km
), kept_hours AS (
  INSERT INTO tracking.hours AS stored (shard, hour, points, checkins, walked_km, motorized_km, active)
  SELECT $1, hour, sum(points), sum(checkins), sum(walked_km), sum(motorized_km), count(*) FILTER (WHERE is_first)
    FROM by_hour GROUP BY hour
  ON CONFLICT (hour, shard) DO UPDATE SET
    points = stored.points + excluded.points, checkins = stored.checkins + excluded.checkins,
    walked_km = stored.walked_km + excluded.walked_km, motorized_km = stored.motorized_km + excluded.motorized_km,
    active = stored.active + excluded.active
), kept_days AS (
  INSERT INTO tracking.days AS stored (shard, day, active)
  SELECT $1, day, count(DISTINCT user_id) FROM by_hour
   WHERE is_first AND NOT EXISTS (
     SELECT FROM tracking.participant_hours AS known
      WHERE known.user_id = by_hour.user_id AND known.day = by_hour.day AND known.points > 0
        AND known.hour BETWEEN by_hour.hour - interval '26 hours' AND by_hour.hour + interval '26 hours')
   GROUP BY day
  ON CONFLICT (day, shard) DO UPDATE SET active = stored.active + excluded.active
), placed AS (
  SELECT lat, lng, 1 AS n FROM inserted
  UNION ALL SELECT lat, lng, 1 FROM preferred
  UNION ALL SELECT old_lat, old_lng, -1 FROM preferred
), by_cell AS (
  SELECT lat_cell, lng_cell, sum(n) AS points, sum(lat * n) AS sum_lat, sum(lng * n) AS sum_lng
    FROM (SELECT lat, lng, n, ${CELL_COLUMNS} FROM placed) AS placed GROUP BY lat_cell, lng_cell
), kept_cells AS (
  INSERT INTO tracking.cells AS stored (shard, lat_cell, lng_cell, points, sum_lat, sum_lng)
  SELECT $1, lat_cell, lng_cell, points, sum_lat, sum_lng FROM by_cell
   WHERE points > 0 OR EXISTS (
     SELECT FROM tracking.cells AS known WHERE known.shard = $1 AND known.lat_cell = by_cell.lat_cell
        AND known.lng_cell = by_cell.lng_cell AND known.points + by_cell.points > 0)
  ON CONFLICT (lat_cell, lng_cell, shard) DO UPDATE SET points = stored.points + excluded.points,
    sum_lat = stored.sum_lat + excluded.sum_lat, sum_lng = stored.sum_lng + excluded.sum_lng
), emptied_cells AS (
  DELETE FROM tracking.cells AS known USING by_cell
   WHERE by_cell.points < 0 AND known.shard = $1 AND known.lat_cell = by_cell.lat_cell
     AND known.lng_cell = by_cell.lng_cell AND known.points + by_cell.points <= 0
)`
