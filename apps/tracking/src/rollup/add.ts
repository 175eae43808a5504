import { cellIndexSql, ROLLUP_LEVEL } from '@palanquin/domain/grid'

/** The cells of `lat` and `lng`, as columns of `tracking.cells`. */
export const CELL_COLUMNS = `${cellIndexSql('lat', ROLLUP_LEVEL)} AS lat_cell, ${cellIndexSql('lng', ROLLUP_LEVEL)} AS lng_cell`

/**
 * Adds a batch to the rollups, as parts of the statement that stores it, so that rollups cannot differ from points and
 * tracks. What is certainly new comes as sums: `quarters` by participant and quarter of an hour, and `cells`. The rest follows from
 * `inserted` (rows that the insert took) and `preferred` (rows that replaced another). Without a row of `moved`, the
 * compare and swap, nothing happens. $1 is the shard. The statement's snapshot is what the last holder of the shard's
 * version left, so a participant without points in an hour, or on a day, has the first ones here; who had no track has none.
 */
export const addToRollups = ({
  zone,
  quarters,
  cells,
}: {
  zone: string
  quarters: string
  cells: string
}) => `
gathered AS (
  SELECT * FROM ${quarters} AS gathered
), hour_of AS (
  SELECT quarter, date_trunc('hour', to_timestamp(quarter / 1000::double precision), ${zone}) AS hour
    FROM (SELECT DISTINCT quarter FROM gathered) AS quarters
), by_hour AS (
  SELECT user_id, hour, (hour AT TIME ZONE ${zone})::date AS day, sum(points) AS points, coalesce(sum(checkins), 0) AS checkins,
         coalesce(sum(walked), 0) AS walked_km, coalesce(sum(motorized), 0) AS motorized_km, bool_or(coalesce(is_known, true)) AS is_known
    FROM (SELECT u AS user_id, hour, points, checkins, walked, motorized, is_known FROM gathered JOIN hour_of USING (quarter)
          UNION ALL
          SELECT user_id, date_trunc('hour', recorded_at, ${zone}), 1, (kind = 0)::integer, NULL, NULL, NULL FROM inserted) AS added
   GROUP BY user_id, hour
), first_hours AS (
  INSERT INTO tracking.participant_hours (user_id, hour, day, points, checkins, walked_km, motorized_km)
  SELECT user_id, hour, day, points, checkins, walked_km, motorized_km FROM by_hour WHERE NOT is_known
), kept_participant_hours AS (
  INSERT INTO tracking.participant_hours AS stored (user_id, hour, day, points, checkins, walked_km, motorized_km)
  SELECT user_id, hour, day, points, checkins, walked_km, motorized_km FROM by_hour WHERE is_known
  ON CONFLICT (user_id, hour) DO UPDATE SET
    points = stored.points + excluded.points, checkins = stored.checkins + excluded.checkins,
    walked_km = stored.walked_km + excluded.walked_km, motorized_km = stored.motorized_km + excluded.motorized_km
  RETURNING user_id, hour, points AS points_now
), first_points AS (
  SELECT * FROM by_hour WHERE points > 0 AND NOT is_known
  -- All points of the hour are of this batch: it had none before.
  UNION ALL SELECT by_hour.* FROM by_hour JOIN kept_participant_hours USING (user_id, hour)
   WHERE points > 0 AND points = points_now
), kept_hours AS (
  INSERT INTO tracking.hours AS stored (shard, hour, points, checkins, walked_km, motorized_km, active)
  SELECT $1, hour, sum(points), sum(checkins), sum(walked_km), sum(motorized_km), sum(active)
    FROM (SELECT hour, points, checkins, walked_km, motorized_km, 0 AS active FROM by_hour
          UNION ALL SELECT hour, 0, 0, 0, 0, 1 FROM first_points) AS added GROUP BY hour
  ON CONFLICT (hour, shard) DO UPDATE SET
    points = stored.points + excluded.points, checkins = stored.checkins + excluded.checkins,
    walked_km = stored.walked_km + excluded.walked_km, motorized_km = stored.motorized_km + excluded.motorized_km,
    active = stored.active + excluded.active
), kept_days AS (
  INSERT INTO tracking.days AS stored (shard, day, active)
  SELECT $1, day, count(DISTINCT user_id) FROM first_points AS first
   WHERE NOT (is_known AND EXISTS (
     SELECT FROM tracking.participant_hours AS known
      WHERE known.user_id = first.user_id AND known.day = first.day AND known.points > 0
        AND known.hour BETWEEN first.hour - interval '26 hours' AND first.hour + interval '26 hours'))
   GROUP BY day
  ON CONFLICT (day, shard) DO UPDATE SET active = stored.active + excluded.active
), placed AS (
  SELECT lat, lng, 1 AS n FROM inserted
  UNION ALL SELECT lat, lng, 1 FROM preferred
  UNION ALL SELECT old_lat, old_lng, -1 FROM preferred
), by_cell AS (
  SELECT lat_cell, lng_cell, sum(points) AS points, sum(sum_lat) AS sum_lat, sum(sum_lng) AS sum_lng
    FROM (SELECT lat_cell, lng_cell, points, sum_lat, sum_lng FROM ${cells} AS gathered
          UNION ALL SELECT ${CELL_COLUMNS}, n, lat * n, lng * n FROM placed) AS added
   GROUP BY lat_cell, lng_cell
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
