/** A smaller difference of equal sums is a rounding error; a segment is 0.01 km at least. */
const NOTHING_KM = 1e-6

const without = (km: string): string => `CASE WHEN abs(${km}) < ${NOTHING_KM} THEN 0 ELSE ${km} END`

/**
 * The rollups of rebuilt tracks, as parts of that statement: a participant's kilometres by hour are replaced, and the sums
 * of the shard change by the difference. Points and check-ins follow from inserts and stay. $1 is the shard, $5 the time
 * zone, $6 the kilometres counted since each track's origin, $7 the participants; `track` are the tracks. A track with an
 * origin had counted nothing after the hour of `open`, and counts nothing before it from then on: earlier hours stay, and of
 * that hour the origin's part is the rest of its sum.
 */
export const RECOUNT_ROLLUPS = `
resumed AS (
  SELECT u AS user_id, date_trunc('hour', open, $5) AS hour, origin_walked, origin_motorized
    FROM track WHERE open IS NOT NULL
), earlier AS (
  SELECT user_id, sum(walked_km) AS walked_km, sum(motorized_km) AS motorized_km
    FROM resumed JOIN tracking.participant_hours AS stored USING (user_id) WHERE stored.hour < resumed.hour GROUP BY 1
), counted AS (
  SELECT u AS user_id, date_trunc('hour', quarter, $5) AS hour, walked AS walked_km, motorized AS motorized_km
    FROM moved, json_to_recordset($6::text::json) AS km(
      u text, quarter timestamptz, walked double precision, motorized double precision)
  UNION ALL
  SELECT user_id, resumed.hour, ${without('origin_walked - coalesce(earlier.walked_km, 0)')},
         ${without('origin_motorized - coalesce(earlier.motorized_km, 0)')}
    FROM resumed LEFT JOIN earlier USING (user_id)
), covered AS (
  SELECT user_id, hour, sum(walked_km) AS walked_km, sum(motorized_km) AS motorized_km FROM counted GROUP BY 1, 2
), known AS (
  SELECT user_id, stored.hour, stored.walked_km, stored.motorized_km
    FROM moved, tracking.participant_hours AS stored LEFT JOIN resumed USING (user_id)
   WHERE user_id = ANY($7::text[]) AND (resumed.hour IS NULL OR stored.hour >= resumed.hour)
), changed AS (
  SELECT user_id, hour, coalesce(covered.walked_km, 0) AS walked_km, coalesce(covered.motorized_km, 0) AS motorized_km,
         coalesce(covered.walked_km, 0) - coalesce(known.walked_km, 0) AS walked_more,
         coalesce(covered.motorized_km, 0) - coalesce(known.motorized_km, 0) AS motorized_more
    FROM covered FULL JOIN known USING (user_id, hour)
   WHERE (coalesce(covered.walked_km, 0), coalesce(covered.motorized_km, 0))
      <> (coalesce(known.walked_km, 0), coalesce(known.motorized_km, 0))
), recounted_participant_hours AS (
  INSERT INTO tracking.participant_hours (user_id, hour, day, walked_km, motorized_km)
  SELECT user_id, hour, (hour AT TIME ZONE $5)::date, walked_km, motorized_km FROM changed
  ON CONFLICT (user_id, hour) DO UPDATE SET walked_km = excluded.walked_km, motorized_km = excluded.motorized_km
), recounted_hours AS (
  INSERT INTO tracking.hours AS stored (shard, hour, walked_km, motorized_km)
  SELECT $1, hour, sum(walked_more), sum(motorized_more) FROM changed GROUP BY hour
  ON CONFLICT (hour, shard) DO UPDATE SET
    walked_km = stored.walked_km + excluded.walked_km, motorized_km = stored.motorized_km + excluded.motorized_km
)`
