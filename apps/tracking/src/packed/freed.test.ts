import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { until } from '@palanquin/testing/until'
import { type Stores, stores } from '../../test/harness.ts'
import { FREE_PARTITION } from './statements.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)
const DAY = '2026-03-04'
const PARTITION = 'tracking.points_20260304'
/** Some hundred pages: of so many, VACUUM by itself does not clean the index for the sake of one. */
const ROWS = 10_000
const FEW = 20

let given: Stores
beforeAll(async () => {
  given = await stores()
  await given.sql`SELECT tracking.ensure_points_partition(${DAY}::text::date)`
})
afterAll(() => given.close())

/** Of the heap and of all with its indexes, in bytes. */
async function sizes(): Promise<{ heap: number; total: number }> {
  const [row] = await given.sql`
    SELECT pg_relation_size(${PARTITION}::text::regclass)::float8 AS heap,
           pg_total_relation_size(${PARTITION}::text::regclass)::float8 AS total`
  return { heap: Number(row?.heap), total: Number(row?.total) }
}

const vacuum = () => given.sql.unsafe(`VACUUM ${PARTITION}`)
/** Removes the rows before the `until`th, those of them that are left. */
const remove = (until: number) =>
  given.sql`DELETE FROM tracking.points WHERE recorded_at < ${DAY}::text::timestamptz + ${until} * interval '1 second'`

test('a day gives back its space although a few of its rows go after VACUUM has seen the others', async () => {
  await given.sql`
    INSERT INTO tracking.points (user_id, recorded_at, kind, lat, lng, source, received_at)
    SELECT 'walker', ${DAY}::text::timestamptz + n * interval '1 second', 1, 24, 120.6, 'auto', now()
      FROM generate_series(0, ${ROWS - 1}) AS n`
  const full = await sizes()
  // The last rows of the heap stay until VACUUM is done.
  await remove(ROWS - FEW)
  await vacuum()
  await remove(ROWS)
  // A statement under way that began before may still see them.
  const emptied = async () => {
    await vacuum()
    return (await sizes()).heap === 0
  }
  await until(emptied, { what: 'VACUUM leaves no page' })
  const freed = async () => (await given.sql.unsafe(FREE_PARTITION))[0]?.freed === true
  await until(freed, { what: 'the indexes of the day are given back' })
  expect((await sizes()).total).toBeLessThan(full.total / 10)
})

test('autovacuum comes for a single row that a day has left', async () => {
  const [row] = await given.sql`
    SELECT reloptions AS options FROM pg_class WHERE oid = ${PARTITION}::text::regclass`
  expect(row?.options).toContain('autovacuum_vacuum_threshold=0')
})
