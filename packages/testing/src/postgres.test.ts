import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import postgres from 'postgres'
import { testDatabase, testPostgres } from './postgres.ts'
import { TEST_TIMEOUT_MS } from './timeout.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

const opened: { close: () => Promise<void> }[] = []
afterAll(async () => {
  await Promise.all(opened.map((one) => one.close()))
})

async function database(options?: { migrated: boolean }) {
  const created = await testDatabase(options)
  const sql = postgres(created.url, { max: 1 })
  opened.push(created, { close: () => sql.end({ timeout: 1 }) })
  return sql
}

test('every caller gets a migrated database of its own', async () => {
  const [one, other] = await Promise.all([database(), database()])
  await one`INSERT INTO engagement.participants (user_id) VALUES ('participant')`
  expect(await one`SELECT user_id FROM engagement.participants`).toHaveLength(1)
  expect(await other`SELECT user_id FROM engagement.participants`).toHaveLength(0)
})

test('a service that migrates at its start finds nothing to do', async () => {
  const sql = await database()
  expect((await sql`SELECT hash FROM drizzle.__drizzle_migrations`).length).toBeGreaterThan(0)
})

test('an empty database can be had for tests of the migrations themselves', async () => {
  const sql = await database({ migrated: false })
  expect(await sql`SELECT 1 FROM pg_namespace WHERE nspname = 'tracking'`).toHaveLength(0)
})

test('a PostgreSQL that its test kills keeps what it has committed', async () => {
  const server = await testPostgres()
  opened.push(server)
  for (let round = 1; round <= 3; round++) {
    const sql = postgres(server.url, { max: 1 })
    await sql`INSERT INTO engagement.participants (user_id) VALUES (${`of round ${round}`})`
    await server.kill9()
    await sql.end({ timeout: 0 })
    await server.restart()
    const again = postgres(server.url, { max: 1 })
    expect(await again`SELECT user_id FROM engagement.participants`).toHaveLength(round)
    await again.end({ timeout: 1 })
  }
})
