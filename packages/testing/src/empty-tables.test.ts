import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import postgres from 'postgres'
import { emptyTables } from './empty-tables.ts'
import { testDatabase } from './postgres.ts'
import { TEST_TIMEOUT_MS } from './timeout.ts'
import { until } from './until.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

const opened: { close: () => Promise<void> }[] = []
afterAll(async () => {
  for (const one of opened.toReversed()) await one.close()
})

test('tables are emptied although a job locks them in the other order', async () => {
  const database = await testDatabase({ migrated: false })
  const connect = (deadlockTimeout: string) => {
    const sql = postgres(database.url, { max: 1, connection: { deadlock_timeout: deadlockTimeout } })
    opened.push({ close: () => sql.end({ timeout: 1 }) })
    return sql
  }
  opened.push(database)
  // Who looks for a deadlock first is its victim.
  const [tester, job] = [connect('2s'), connect('60s')]
  await tester.unsafe(
    'CREATE TABLE a (n int); CREATE TABLE b (n int); INSERT INTO a VALUES (1); INSERT INTO b VALUES (1)',
  )
  let emptied: Promise<void> | undefined
  const scene = () =>
    job.begin(async (transaction) => {
      await transaction`LOCK TABLE b IN ROW SHARE MODE`
      emptied = emptyTables(tester, 'a', 'b')
      await until(
        async () =>
          (await transaction`SELECT 1 FROM pg_locks WHERE relation = 'b'::regclass AND NOT granted`).length >
          0,
        { what: 'the TRUNCATE to hold one table and to wait for the other' },
      )
      expect(await transaction`SELECT n FROM a`).toHaveLength(1)
    })
  // The TRUNCATE looks once: where the job comes to wait later, the job is the victim, and all begins anew.
  while (!(await scene().then(() => true, orVictim))) {
    await emptied
    await tester.unsafe('INSERT INTO a VALUES (1); INSERT INTO b VALUES (1)')
  }
  await emptied
  expect(await tester`SELECT n FROM a UNION ALL SELECT n FROM b`).toHaveLength(0)
})

/** False where the job was the victim of the deadlock. @throws any other error */
function orVictim(error: unknown): false {
  if (error instanceof postgres.PostgresError && error.code === '40P01') return false
  throw error
}
