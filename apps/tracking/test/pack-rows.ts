import type { Database } from '@palanquin/db/client'

/** Packs the rows for which a condition holds, by the hour: for tests that have no flush. */
export const packRows = (db: Pick<Database, 'query'>, where: string) =>
  db.query(`
    WITH taken AS (
      DELETE FROM tracking.points AS point WHERE ${where} RETURNING point
    )
    INSERT INTO tracking.packed_points
    SELECT packed.* FROM (
      SELECT array_agg(point ORDER BY (point).recorded_at, (point).kind) AS points
        FROM taken GROUP BY (point).user_id, date_trunc('hour', (point).recorded_at, 'UTC')) AS hours
      CROSS JOIN LATERAL tracking.pack(hours.points) AS packed`)
