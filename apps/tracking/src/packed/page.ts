/** Points that count, and those that a device sent while it carried a beacon. */
export type PointTable = 'points' | 'carried_points'

const NEXT = `recorded_at >= $2::text::timestamptz AND recorded_at <= $3::text::timestamptz
       AND (recorded_at, kind) > ($2::text::timestamptz, $4::smallint)
     ORDER BY`

/**
 * A page of a participant's points in the order that counts, in whichever form they are kept: $1 the participant, after $2
 * and $4 (time and kind of the last one read), until $3, at most $5. Of the packed hours only those are unpacked that the
 * page needs; the bounds on `recorded_at` let PostgreSQL skip the partitions of other days.
 */
export function readPage(table: PointTable, columns: string): string {
  const rows = `
    SELECT ${columns} FROM tracking.${table}
     WHERE user_id = $1 AND ${NEXT} recorded_at, kind LIMIT $5`
  if (table === 'carried_points') return rows
  return `
SELECT ${columns} FROM (
  (${rows})
  UNION ALL
  (SELECT ${columns} FROM (
    SELECT packed.hour, point.* FROM tracking.packed_points AS packed CROSS JOIN LATERAL tracking.unpack(packed) AS point
     WHERE packed.user_id = $1 AND packed.hour > $2::text::timestamptz - interval '1 hour'
       AND packed.hour <= $3::text::timestamptz) AS unpacked
     WHERE ${NEXT} hour, recorded_at, kind LIMIT $5)
) AS points ORDER BY recorded_at, kind LIMIT $5`
}
