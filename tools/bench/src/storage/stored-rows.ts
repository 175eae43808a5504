import type postgres from 'postgres'

const CHUNK = 250_000
const PARTICIPANTS = 100_000

/**
 * Stores rows as flushes leave them on the UTC day of `day`: by time, of participants spread over the index,
 * with the fields that a phone sends. `from` is the number of the first.
 */
async function storeRows(
  sql: postgres.Sql,
  { table, day, from, to }: { table: string; day: Date; from: number; to: number },
): Promise<void> {
  const midnight = `${day.toISOString().slice(0, 10)}T00:00:00Z`
  for (let first = from; first < to; first += CHUNK) {
    const last = Math.min(first + CHUNK, to) - 1
    // A fix every 400 ms of some 100,000 participants in turn: 20 million fill the first hours of a day.
    await sql.unsafe(
      `INSERT INTO ${table} (user_id, recorded_at, kind, lat, lng, accuracy, speed, altitude, heading, source, note, received_at)
       SELECT 'U' || md5((n % ${PARTICIPANTS})::text), $1::text::timestamptz + (n / ${PARTICIPANTS}) * interval '10 seconds' + (n % 9973) * interval '1 millisecond',
              1, 23.5 + (n % 10007) / 10007.0, 120.3 + (n % 1009) / 2018.0, 8, 4.5, NULL, NULL, 'android', NULL,
              $1::text::timestamptz + (n / ${PARTICIPANTS}) * interval '10 seconds' + interval '1 minute'
         FROM generate_series($2::integer, $3::integer) AS n`,
      [midnight, first, last],
    )
  }
}

/** What a point takes as a row of an own table, indexes included, in bytes. */
export async function bytesOfRows(sql: postgres.Sql, rows: number): Promise<number> {
  await sql.unsafe('CREATE TABLE bench_rows (LIKE tracking.points INCLUDING ALL)')
  await storeRows(sql, { table: 'bench_rows', day: new Date(), from: 0, to: rows })
  const [row] = await sql`SELECT pg_total_relation_size('bench_rows')::float8 AS bytes`
  return Number(row?.bytes) / rows
}
