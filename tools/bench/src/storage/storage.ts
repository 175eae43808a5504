import { startThrowawayStack } from '@palanquin/stack/testing/throwaway-stack'
import type postgres from 'postgres'
import type { Benchmark } from '../benchmark.ts'
import { BENCH_SETTINGS } from '../settings.ts'
import { type Sizes, storeNineDays } from './nine-days.ts'

const CHUNK = 250_000
const PARTICIPANTS = 100_000

/** Stores rows as flushes leave them on the UTC day of `day`. `from` is the number of the first. */
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
async function bytesOfRows(sql: postgres.Sql, rows: number): Promise<number> {
  await sql.unsafe('CREATE TABLE bench_rows (LIKE tracking.points INCLUDING ALL)')
  await storeRows(sql, { table: 'bench_rows', day: new Date(), from: 0, to: rows })
  const [row] = await sql`SELECT pg_total_relation_size('bench_rows')::float8 AS bytes`
  return Number(row?.bytes) / rows
}

const ROWS = 10_000_000
const QUICK_ROWS = 13_000
const BYTES_MAX = 30
/** The packer comes each second. */
const SETTINGS = { ...BENCH_SETTINGS, PACK_SCHEDULE: '* * * * * *' }

/** Disk space of a stored point, indexes included, on average over nine days that end now. */
export const storage: Benchmark = {
  name: 'storage',
  question: `bytes on disk a point, indexes included, on average over nine days of ${ROWS.toLocaleString('en-US')} points that end now (--rows N: fewer), against ${BYTES_MAX}`,
  better: 'less',
  wanted: 1,
  run: async (log, { quick, rows }) => {
    const points = rows ?? (quick ? QUICK_ROWS : ROWS)
    const stack = await startThrowawayStack(SETTINGS)
    try {
      const sevenDecimals = await storeNineDays(stack, { points, every: false, log })
      const everyDigit = await storeNineDays(stack, { points: Math.ceil(points / 4), every: true, log })
      const row = await bytesOfRows(stack.sql, Math.min(points, 1_000_000))
      const unit = 'bytes a point'
      const yardstick = [BYTES_MAX]
      const of = ({ bytes, points }: Sizes) => [bytes / points]
      return {
        unit,
        yardstick,
        ours: of(sevenDecimals),
        notes: [inWords(sevenDecimals)],
        also: [
          {
            name: 'storage of every digit',
            better: 'less',
            wanted: 1,
            unit,
            yardstick,
            ours: of(everyDigit),
            notes: [`places with 15 digits, as iPhones send them; ${inWords(everyDigit)}`],
          },
          {
            name: 'storage of a row',
            better: 'less',
            unit,
            yardstick,
            ours: [row],
            notes: ['a point of the last hours, before it is packed'],
          },
        ],
      }
    } finally {
      await stack.close()
    }
  },
}

function inWords({ points, rows, packed, bytes, bytesOfRows }: Sizes): string {
  const many = (count: number) => count.toLocaleString('en-US')
  const each = (bytes - bytesOfRows) / Math.max(1, packed)
  return `${many(points)} points: ${many(packed)} packed at ${each.toFixed(1)} bytes, ${many(rows)} of the last hours as rows, whose partitions take ${(bytesOfRows / 1e6).toFixed(0)} of ${(bytes / 1e6).toFixed(0)} MB`
}
