import type { Sql } from 'postgres'

/** Sums of floating point numbers in another order: a millimetre. */
const KM = 1e-6

/** Each finds rows of a rollup that are not what the points and tracks say; none may. */
const CHECKS: Record<string, string> = {
  'participant_hours add up to the tracks': `
    SELECT user_id FROM tracking.tracks FULL JOIN (
      SELECT user_id, sum(points) AS n, sum(checkins) AS c, sum(walked_km) AS w, sum(motorized_km) AS m
        FROM tracking.participant_hours GROUP BY user_id) AS hours USING (user_id)
     WHERE n IS DISTINCT FROM points OR c IS DISTINCT FROM checkins
        OR NOT coalesce(abs(w - walked_km) < ${KM} AND abs(m - motorized_km) < ${KM}, false)`,
  'participant_hours count the points': `
    SELECT user_id, hour FROM tracking.participant_hours AS hours FULL JOIN (
      SELECT user_id, date_trunc('hour', recorded_at, 'Asia/Taipei') AS hour, count(*) AS n,
             count(*) FILTER (WHERE kind = 0) AS c, min((recorded_at AT TIME ZONE 'Asia/Taipei')::date) AS d
        FROM tracking.all_points GROUP BY 1, 2) AS stored USING (user_id, hour)
     WHERE n IS DISTINCT FROM hours.points OR c IS DISTINCT FROM hours.checkins OR d IS DISTINCT FROM hours.day`,
  'hours add up participant_hours': `
    SELECT hour FROM (SELECT hour, sum(points) AS n, sum(checkins) AS c, sum(walked_km) AS w, sum(motorized_km) AS m,
                             sum(active) AS a FROM tracking.hours GROUP BY hour) AS hours
      FULL JOIN (SELECT hour, sum(points) AS pn, sum(checkins) AS pc, sum(walked_km) AS pw, sum(motorized_km) AS pm,
                        count(*) AS pa FROM tracking.participant_hours GROUP BY hour) AS theirs USING (hour)
     WHERE n IS DISTINCT FROM pn OR c IS DISTINCT FROM pc OR a IS DISTINCT FROM pa
        OR NOT coalesce(abs(w - pw) < ${KM} AND abs(m - pm) < ${KM}, false)`,
  'days count who was there': `
    SELECT day FROM (SELECT day, sum(active) AS a FROM tracking.days GROUP BY day) AS days
      FULL JOIN (SELECT (recorded_at AT TIME ZONE 'Asia/Taipei')::date AS day, count(DISTINCT user_id) AS pa
                   FROM tracking.all_points GROUP BY 1) AS stored USING (day)
     WHERE a IS DISTINCT FROM pa`,
  'cells count the points': `
    SELECT lat_cell, lng_cell FROM (SELECT lat_cell, lng_cell, sum(points) AS n, sum(sum_lat) AS y, sum(sum_lng) AS x
                                      FROM tracking.cells GROUP BY 1, 2) AS cells
      FULL JOIN (SELECT floor(lat / 90 * 32768) AS lat_cell, floor(lng / 90 * 32768) AS lng_cell, count(*) AS pn,
                        sum(lat) AS py, sum(lng) AS px FROM tracking.all_points GROUP BY 1, 2) AS stored
     USING (lat_cell, lng_cell)
     WHERE n IS DISTINCT FROM pn OR NOT coalesce(abs(y - py) < 1e-6 AND abs(x - px) < 1e-6, false)`,
}

/** What is wrong with the rollups, once every track is rebuilt that waits for it: what must hold. */
export async function rollupFaults(sql: Sql): Promise<string[]> {
  const faults: string[] = []
  for (const [must, query] of Object.entries(CHECKS)) {
    const rows = await sql.unsafe(query)
    if (rows.length > 0)
      faults.push(`${must}: not in ${rows.length} rows, such as ${JSON.stringify(rows[0])}`)
  }
  return faults
}
