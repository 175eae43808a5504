import { startThrowawayStack, type ThrowawayStack } from '@palanquin/stack/testing/throwaway-stack'
import { type Benchmark, median, ROUNDS } from '../benchmark.ts'
import { copiesOf, flushOf } from '../ingest/flush.ts'
import { type Copier, copier } from '../ingest/postgres-copy.ts'
import { SYNC_POINTS } from '../load/requests.ts'
import { countStored } from '../measure/count-stored.ts'
import { BENCH_SETTINGS } from '../settings.ts'
import { storeRows } from './stored-rows.ts'

const SYNCS = 500
const QUICK_SYNCS = 20
const SOME = 1_000_000
const MANY = 20_000_000
const QUICK_MANY = 20_000

/**
 * The cost of a point's flush while the table grows. Years of rows cannot alternate from round to round, so
 * each flush is measured in units of a COPY of its own rows into an empty table right after it: a busy
 * machine slows both.
 */
export const growth: Benchmark = {
  name: 'growth',
  question: `cost of a flush per point with ${MANY.toLocaleString('en-US')} rows stored on that very day (--rows N: fewer), against its cost on an empty table`,
  better: 'less',
  wanted: 1.25,
  run: async (log, { quick, rows }) => {
    const many = rows ?? (quick ? QUICK_MANY : MANY)
    const some = Math.min(SOME, Math.ceil(many / 2))
    const stack = await startThrowawayStack(BENCH_SETTINGS)
    const copy = copier(stack.running().databaseUrl)
    const syncs = quick ? QUICK_SYNCS : SYNCS
    try {
      await stack.sql.unsafe('CREATE TABLE bench_empty (LIKE tracking.points INCLUDING ALL)')
      let flushes = 0
      let stored = 0
      const costs = async (): Promise<number[]> => {
        const found: number[] = []
        for (let round = 0; round <= ROUNDS; round++) {
          const cost = await costOf(stack, copy, { first: flushes++ * syncs, syncs })
          if (round > 0) found.push(cost)
        }
        return found
      }
      const grow = async (to: number) => {
        log(`storing rows up to ${to.toLocaleString('en-US')} …`)
        await storeRows(stack.sql, { table: 'tracking.points', day: new Date(), from: stored, to })
        await stack.sql.unsafe('VACUUM ANALYZE tracking.points')
        stored = to
      }
      const empty = await costs()
      await grow(some)
      const afterSome = await costs()
      await grow(many)
      const afterMany = await costs()
      const counted = await countStored(stack, many + flushes * syncs * SYNC_POINTS)
      const notes = [
        `at nothing ${median(empty).toFixed(2)}, at ${some.toLocaleString('en-US')} rows ${median(afterSome).toFixed(2)}, at ${many.toLocaleString('en-US')} ${median(afterMany).toFixed(2)} × a COPY of the same rows into an empty table, by ${copy.by}`,
      ]
      return {
        unit: '× COPY',
        ours: afterMany,
        yardstick: empty,
        notes: [...notes, `all ${counted} points are in PostgreSQL`],
        also: [
          {
            name: `growth at ${some.toLocaleString('en-US')}`,
            better: 'less',
            wanted: 1.25,
            unit: '× COPY',
            ours: afterSome,
            yardstick: empty,
            notes,
          },
        ],
      }
    } finally {
      copy.close()
      await stack.close()
    }
  },
}

/** A flush in units of a COPY of its rows into an empty table. */
async function costOf(
  stack: ThrowawayStack,
  copy: Copier,
  { first, syncs }: { first: number; syncs: number },
): Promise<number> {
  const { tookMs } = await flushOf(stack, { first, syncs })
  await copy.unload(copiesOf(first, syncs))
  await stack.sql.unsafe('TRUNCATE bench_empty')
  return tookMs / (await copy.load('bench_empty'))
}
