import { startThrowawayStack } from '@palanquin/stack/testing/throwaway-stack'
import type postgres from 'postgres'
import type { Benchmark } from '../benchmark.ts'
import { type PackedPoint, pack } from '../ingest/packed.ts'
import { SYNC_POINTS } from '../load/requests.ts'
import { BENCH_SETTINGS } from '../settings.ts'
import { storeRows } from './stored-rows.ts'

const ROWS = 10_000_000
const QUICK_ROWS = 20_000
/** Measured at each fifth: extrapolation needs a constant number of bytes per point. */
const STAGES = 5
const BYTES_MAX = 30
const PACKED_SYNCS = 10_000
const FIX_EVERY_MS = 10_000
const DAY_MS = 86_400_000

/** Disk space of a stored point, indexes included, and what dropping a day returns. */
export const storage: Benchmark = {
  name: 'storage',
  question: `bytes on disk a stored point, indexes included, up to ${ROWS.toLocaleString('en-US')} points (--rows N: fewer), against ${BYTES_MAX}`,
  better: 'less',
  wanted: 1,
  run: async (log, { quick, rows }) => {
    const all = rows ?? (quick ? QUICK_ROWS : ROWS)
    const stack = await startThrowawayStack(BENCH_SETTINGS)
    const { sql } = stack
    try {
      const day = new Date(Date.now() - DAY_MS)
      const partition = `tracking.points_${day.toISOString().slice(0, 10).replaceAll('-', '')}`
      await sql`SELECT tracking.ensure_points_partition(${day.toISOString()}::date)`
      const before = await databaseBytes(sql)
      const ours: number[] = []
      for (let stage = 1; stage <= STAGES; stage++) {
        const to = Math.round((all * stage) / STAGES)
        await storeRows(sql, { table: partition, day, from: Math.round((all * (stage - 1)) / STAGES), to })
        ours.push((await sizeOf(sql, partition)) / to)
        log(`${to.toLocaleString('en-US')} points: ${ours.at(-1)?.toFixed(1)} bytes each`)
      }
      const heap = await sizeOf(sql, partition, 'pg_table_size')
      const full = await databaseBytes(sql)
      await sql.unsafe(`DROP TABLE ${partition}`)
      const left = await databaseBytes(sql)
      const packed = [await packedBytes(sql, quick ? 100 : PACKED_SYNCS)]
      return {
        unit: 'bytes a point',
        ours,
        yardstick: ours.map(() => BYTES_MAX),
        notes: [
          `rows ${(heap / all).toFixed(0)}, indexes ${((ours.at(-1) ?? 0) - heap / all).toFixed(0)} bytes a point at ${all.toLocaleString('en-US')}; a round is a fifth more points`,
          `dropping the day gave back ${(((full - left) / Math.max(1, full - before)) * 100).toFixed(0)} % of what its points had taken`,
        ],
        also: [
          {
            name: 'storage packed, an experiment',
            better: 'less',
            unit: 'bytes a point',
            ours: packed,
            yardstick: [BYTES_MAX],
            notes: [
              `not what is stored: one row a sync of ${SYNC_POINTS} points, differences in few bytes, key (userId, first time)`,
            ],
          },
        ],
      }
    } finally {
      await stack.close()
    }
  },
}

async function sizeOf(sql: postgres.Sql, table: string, measure = 'pg_total_relation_size'): Promise<number> {
  const [row] = await sql.unsafe(`SELECT ${measure}('${table}'::regclass)::float8 AS bytes`)
  return Number(row?.bytes)
}

async function databaseBytes(sql: postgres.Sql): Promise<number> {
  const [row] = await sql`SELECT pg_database_size(current_database())::float8 AS bytes`
  return Number(row?.bytes)
}

/** The same points as one row per sync. */
async function packedBytes(sql: postgres.Sql, syncs: number): Promise<number> {
  await sql.unsafe(
    `CREATE TABLE bench_packed (user_id text, first_at timestamptz, last_at timestamptz, points smallint, source text,
       received_at timestamptz, track bytea, PRIMARY KEY (user_id, first_at))`,
  )
  for (let n = 0; n < syncs; n++) {
    const startMs = Date.now() - n * FIX_EVERY_MS
    const track = pack(
      Array.from({ length: SYNC_POINTS }, (_, i): PackedPoint => {
        // Steps of a walk: some 14 m on, some metres sideways, each with its own accuracy.
        const wobble = (n * 7919 + i * 104_729) % 41
        return [
          startMs + i * FIX_EVERY_MS + wobble,
          24_000_000 + i * 120 + wobble,
          120_600_000 + wobble * 3,
          50 + wobble,
          40 + (wobble % 15),
        ]
      }),
    )
    await sql`INSERT INTO bench_packed VALUES ('U' || md5(${n}::text), ${new Date(startMs).toISOString()},
      ${new Date(startMs + SYNC_POINTS * FIX_EVERY_MS).toISOString()}, ${SYNC_POINTS}, 'android', now(), ${Buffer.from(track)})`
  }
  return (await sizeOf(sql, 'bench_packed')) / (syncs * SYNC_POINTS)
}
