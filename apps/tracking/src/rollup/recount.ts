/**
 * The rollups when tracks are rebuilt, as parts of that statement: a participant's kilometres by hour are replaced, and
 * the sums of the shard move by the difference. Points and check-ins stand already: they follow from what was inserted.
 * $1 is the shard, $5 the time zone, $6 the kilometres of the whole tracks, $7 whose tracks they are.
 */
export const RECOUNT_ROLLUPS = `
covered AS (
  SELECT u AS user_id, date_trunc('hour', quarter, $5) AS hour, sum(walked) AS walked_km, sum(motorized) AS motorized_km
    FROM moved, json_to_recordset($6::text::json) AS km(
      u text, quarter timestamptz, walked double precision, motorized double precision)
   GROUP BY 1, 2
), known AS (
  SELECT user_id, hour, walked_km, motorized_km FROM moved, tracking.participant_hours WHERE user_id = ANY($7::text[])
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
