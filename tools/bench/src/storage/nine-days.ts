import type { ThrowawayStack } from '@palanquin/stack/testing/throwaway-stack'
import type postgres from 'postgres'

const HOUR_MS = 3_600_000
const DAYS = 9
/** The last twelve hours of each 24, so that the present day counts with as many hours as the others. */
const WALKING_HOURS = 12
/** A fix every 30 s, and a sync of two each minute: docs/capacity.md. */
const POINTS_AN_HOUR = 120
/** How many hours are rows at a time, until the packer comes. */
const HOURS_AS_ROWS = 3
const PACKED_MS_MAX = 600_000
const LOOK_MS = 500

/** What a number of points takes on disk, indexes included, in bytes. */
export type Sizes = { points: number; rows: number; packed: number; bytes: number; bytesOfRows: number }

/** Points of nine days that end now, stored hour by hour in the order of flushes. */
export async function storeNineDays(
  { sql }: Pick<ThrowawayStack, 'sql'>,
  { points, every, log }: { points: number; every: boolean; log: (line: string) => void },
): Promise<Sizes> {
  const participants = Math.max(1, Math.round(points / (DAYS * WALKING_HOURS * POINTS_AN_HOUR)))
  const end = Math.floor(Date.now() / HOUR_MS) * HOUR_MS
  await sql`TRUNCATE tracking.points, tracking.packed_points, tracking.tracks`
  await sql`
    INSERT INTO tracking.tracks (user_id, shard, version, state, last_seen_at, last_lat, last_lng)
    SELECT 'U' || md5(w::text), w % 16, 1, '{}', now(), 23.5 + w % 1000 / 1000.0, 120.3
      FROM generate_series(1, ${participants}) AS w`
  for (let day = DAYS; day >= 1; day--) {
    for (let hour = WALKING_HOURS; hour >= 1; hour--) {
      await storeHour(sql, { participants, every, at: end - (day - 1) * 24 * HOUR_MS - hour * HOUR_MS })
      if (hour % HOURS_AS_ROWS !== 1) continue
      await untilPacked(sql)
      await untilVacuumed(sql)
    }
    log(`day ${DAYS - day + 1} of ${DAYS} is stored and packed`)
  }
  await untilFreed(sql)
  return await sizesOf(sql)
}

/** An hour of all participants in flushes of five minutes, each in the order of places and times. */
async function storeHour(
  sql: postgres.Sql,
  { participants, every, at }: { participants: number; every: boolean; at: number },
): Promise<void> {
  const place = (value: string) => (every ? value : `round((${value})::numeric, 7)::double precision`)
  const hour = new Date(at).toISOString()
  await sql`SELECT tracking.ensure_points_partition(${hour}::timestamptz::date)`
  const steps = `(${at / HOUR_MS} % 1000 * ${POINTS_AN_HOUR} + n)`
  await sql.unsafe(
    `INSERT INTO tracking.points (user_id, recorded_at, kind, lat, lng, accuracy, speed, source, received_at)
     SELECT 'U' || md5(w::text),
            $1::text::timestamptz + n * interval '30 seconds' + abs(hashint4(w * 7919 + n)) % 1000 * interval '1 millisecond',
            (n <> 7)::integer,
            ${place(`23.5 + w % 1000 / 1000.0 + ${steps} * 2.9e-6 + hashint4(w * 31 + n) / 2e14::double precision`)},
            ${place(`120.3 + ${steps} * 1.7e-6 + hashint4(w * 37 + n) / 2e14::double precision`)},
            abs(hashint4(w * 41 + n)) % 300 / 10.0 + 3, abs(hashint4(w * 43 + n)) % 60 / 10.0, 'android',
            $1::text::timestamptz + (n / 2 * 60 + 61) * interval '1 second' + abs(hashint4(w * 47 + n / 2)) % 1000 * interval '1 millisecond'
       FROM generate_series(0, ${POINTS_AN_HOUR - 1}) AS n, generate_series(1, ${participants}) AS w
      ORDER BY n / 10, w, n`,
    [hour],
  )
}

/** Waits for the packer of the running service, which comes each second. */
async function untilPacked(sql: postgres.Sql): Promise<void> {
  const deadline = performance.now() + PACKED_MS_MAX
  for (;;) {
    const [row] = await sql`
      SELECT EXISTS (SELECT FROM tracking.points
                      WHERE recorded_at < date_trunc('hour', now() - interval '2 hours', 'UTC')) AS some`
    if (row?.some === false) return
    if (performance.now() > deadline) throw new Error('the packer did not come to an end')
    await Bun.sleep(LOOK_MS)
  }
}

/** A statement under way that began before the rows were packed may still see them. */
async function untilVacuumed(sql: postgres.Sql): Promise<void> {
  const deadline = performance.now() + PACKED_MS_MAX
  const vacuum = () => sql.unsafe('VACUUM (ANALYZE) tracking.points')
  for (;;) {
    await vacuum()
    const [row] = await sql`
      SELECT sum(n_dead_tup)::integer AS dead FROM pg_stat_user_tables
        JOIN pg_inherits ON relid = inhrelid AND inhparent = 'tracking.points'::regclass`
    if (row?.dead === 0) break
    if (performance.now() > deadline) throw new Error('VACUUM leaves dead rows')
    await Bun.sleep(LOOK_MS)
  }
  await vacuum()
}

/** Waits until the packer has given back what whole days no longer need. */
async function untilFreed(sql: postgres.Sql): Promise<void> {
  const deadline = performance.now() + PACKED_MS_MAX
  for (;;) {
    const [row] = await sql`
      SELECT EXISTS (SELECT FROM pg_inherits WHERE inhparent = 'tracking.points'::regclass
                       AND pg_relation_size(inhrelid) = 0 AND pg_total_relation_size(inhrelid) > 131072) AS some`
    if (row?.some === false) return
    if (performance.now() > deadline) throw new Error('the packer gave back no space')
    await Bun.sleep(LOOK_MS)
  }
}

async function sizesOf(sql: postgres.Sql): Promise<Sizes> {
  const [row] = await sql`
    SELECT (SELECT count(*) FROM tracking.points)::float8 AS rows,
           (SELECT sum(points) FROM tracking.packed_points)::float8 AS packed,
           (SELECT sum(pg_total_relation_size(inhrelid)) FROM pg_inherits
             WHERE inhparent = 'tracking.points'::regclass)::float8 AS "bytesOfRows",
           pg_total_relation_size('tracking.packed_points')::float8 AS "bytesPacked"`
  const [rows, packed] = [Number(row?.rows), Number(row?.packed)]
  const bytesOfRows = Number(row?.bytesOfRows)
  return { points: rows + packed, rows, packed, bytes: bytesOfRows + Number(row?.bytesPacked), bytesOfRows }
}
