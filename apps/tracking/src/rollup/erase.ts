import { CELL_COLUMNS } from './add.ts'

/**
 * Takes a participant's share out of the rollups, as parts of the statement that erases the participant; rows without points
 * go. That statement brings `erased_points AS (…)`, the places of the erased points, and moves the shard's
 * version, so that a flush that began before has no effect. `userId` and `shard` are parameters such as `$1`, `$2`.
 */
export const eraseFromRollups = ({ userId, shard }: { userId: string; shard: string }): string => `
erased_hours AS (
  DELETE FROM tracking.participant_hours WHERE user_id = ${userId}
  RETURNING hour, day, points, checkins, walked_km, motorized_km
), hours_less AS (
  UPDATE tracking.hours AS stored SET
    points = stored.points - erased.points, checkins = stored.checkins - erased.checkins,
    walked_km = stored.walked_km - erased.walked_km, motorized_km = stored.motorized_km - erased.motorized_km,
    active = stored.active - (erased.points > 0)::integer
    FROM erased_hours AS erased
   WHERE stored.shard = ${shard} AND stored.hour = erased.hour AND stored.points > erased.points
), hours_gone AS (
  DELETE FROM tracking.hours AS stored USING erased_hours AS erased
   WHERE stored.shard = ${shard} AND stored.hour = erased.hour AND stored.points <= erased.points
), erased_days AS (
  SELECT DISTINCT day FROM erased_hours WHERE points > 0
), days_less AS (
  UPDATE tracking.days AS stored SET active = stored.active - 1
    FROM erased_days AS erased WHERE stored.shard = ${shard} AND stored.day = erased.day AND stored.active > 1
), days_gone AS (
  DELETE FROM tracking.days AS stored USING erased_days AS erased
   WHERE stored.shard = ${shard} AND stored.day = erased.day AND stored.active <= 1
), erased_cells AS (
  SELECT lat_cell, lng_cell, count(*) AS points, sum(lat) AS sum_lat, sum(lng) AS sum_lng
    FROM (SELECT lat, lng, ${CELL_COLUMNS} FROM erased_points) AS placed GROUP BY lat_cell, lng_cell
), cells_less AS (
  UPDATE tracking.cells AS stored SET points = stored.points - erased.points,
    sum_lat = stored.sum_lat - erased.sum_lat, sum_lng = stored.sum_lng - erased.sum_lng
    FROM erased_cells AS erased
   WHERE stored.lat_cell = erased.lat_cell AND stored.lng_cell = erased.lng_cell AND stored.shard = ${shard}
     AND stored.points > erased.points
), cells_gone AS (
  DELETE FROM tracking.cells AS stored USING erased_cells AS erased
   WHERE stored.lat_cell = erased.lat_cell AND stored.lng_cell = erased.lng_cell AND stored.shard = ${shard}
     AND stored.points <= erased.points
)`
