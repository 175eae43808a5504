import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { type TestDatabase, testDatabase } from '@palanquin/testing/postgres'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { until } from '@palanquin/testing/until'
import postgres from 'postgres'
import { grantRoles, SERVICE_ROLES } from './roles.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)
let databases: [TestDatabase, TestDatabase]
beforeAll(async () => {
  databases = await Promise.all([testDatabase(), testDatabase()])
})
afterAll(async () => {
  for (const database of databases) await database.close()
})

const PASSWORD = 'a'.repeat(32)
const PASSWORDS = {
  tracking: PASSWORD,
  map: PASSWORD,
  engagement: PASSWORD,
  media: PASSWORD,
  'line-bot': PASSWORD,
}

test('rights are granted while a flush makes the first partition of the points', async () => {
  const [{ url }] = databases
  const sql = postgres(url, { max: 2, onnotice: () => {} })
  try {
    const isWaiting = async () =>
      (
        await sql`SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`
      ).length > 0
    let granting: Promise<unknown> = Promise.resolve()
    await sql.begin(async (flush) => {
      await flush`SELECT tracking.ensure_points_partition('2026-11-22')`
      granting = grantRoles(url, PASSWORDS)
      // The test reports its failure; without this a failure before the transaction ends would be unhandled.
      granting.catch(() => {})
      await until(isWaiting, { what: 'the grant to wait for the transaction' })
    })
    await granting
    const [row] = await sql`
      SELECT has_table_privilege('palanquin_tracking', 'tracking.points', 'INSERT') AS writes`
    expect(row?.writes).toBe(true)
  } finally {
    await sql.end()
  }
})

test('roles are brought up to date from two databases of a server at once', async () => {
  const granted = await Promise.all(
    Array.from({ length: 10 }, (_, n) => grantRoles(databases[n % 2 === 0 ? 0 : 1].url, PASSWORDS)),
  )
  for (const addresses of granted) expect(Object.keys(addresses).sort()).toEqual([...SERVICE_ROLES].sort())
})
