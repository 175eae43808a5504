import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import { createLog } from '@palanquin/service/log'
import { testDatabase, testPostgres } from '@palanquin/testing/postgres'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import postgres from 'postgres'
import { connectDatabase } from './client.ts'
import { migrateDatabase } from './migrate.ts'
import { databaseProblem, SCHEMA_VERSION } from './requirements.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)
const log = createLog({ service: 'db-test', level: 'silent' })
const opened: { close: () => Promise<void> }[] = []
afterAll(async () => {
  for (const { close } of opened.reverse()) await close()
})

async function database(options?: { migrated: boolean }) {
  const made = await testDatabase(options)
  const sql = postgres(made.url, { max: 1, onnotice: () => {} })
  opened.push(made, { close: () => sql.end({ timeout: 1 }) })
  return { url: made.url, sql }
}
async function problemOf(url: string) {
  const db = connectDatabase({ url, name: 'test', log, max: 1 })
  return await databaseProblem(db).finally(db.close)
}

test('PostgreSQL 15 is refused by services and migrator, with the versions that serve', async () => {
  const server = await testPostgres({ version: 15 })
  opened.push(server)
  expect(await problemOf(server.url)).toMatch(/^PostgreSQL 15\.\d+ is too old: Palanquin needs 16, 17 or 18/)
  await expect(migrateDatabase(server.url)).rejects.toThrow('is too old')
})

test('a database in another encoding is refused before it is migrated', async () => {
  const { url, sql } = await database({ migrated: false })
  const name = `${new URL(url).pathname.slice(1)}_latin`
  await sql.unsafe(
    `CREATE DATABASE ${name} ENCODING 'SQL_ASCII' LOCALE 'C' LOCALE_PROVIDER libc TEMPLATE template0`,
  )
  opened.push({ close: async () => void (await sql.unsafe(`DROP DATABASE ${name} WITH (FORCE)`)) })
  const other = new URL(url)
  other.pathname = `/${name}`
  await expect(migrateDatabase(other.href)).rejects.toThrow("ENCODING 'UTF8'")
  expect(await problemOf(other.href)).toContain('encoded in SQL_ASCII')
})

test('a newer schema is refused by services and migrator, with who made it; an older one by services', async () => {
  const { url, sql } = await database({ migrated: false })
  expect(await problemOf(url)).toContain('This database is of version 0')
  await migrateDatabase(url, { build: { version: '1.2.3', commit: 'abc' } })
  expect(await problemOf(url)).toBeUndefined()
  await sql`COMMENT ON SCHEMA drizzle IS '999 Palanquin 9.0.0 (f00)'`
  const newer = 'This database is of version 999, made by Palanquin 9.0.0 (f00)'
  expect(await problemOf(url)).toContain(newer)
  await expect(migrateDatabase(url)).rejects.toThrow(newer)
  await sql.unsafe(`COMMENT ON SCHEMA drizzle IS '${SCHEMA_VERSION - 1} Palanquin 1.0.0 (abc)'`)
  expect(await problemOf(url)).toContain('migrate it first')
  await migrateDatabase(url)
  expect(await problemOf(url)).toBeUndefined()
})

test('a migration gives way to whoever holds a lock, and comes again', async () => {
  const { url, sql } = await database({ migrated: false })
  const holder = postgres(url, { max: 1 })
  opened.push({ close: () => holder.end({ timeout: 1 }) })
  await holder`CREATE SCHEMA drizzle`
  await holder`CREATE TABLE drizzle.__drizzle_migrations (id serial PRIMARY KEY, hash text NOT NULL, created_at bigint)`
  const held = Promise.withResolvers<void>()
  const begun = Promise.withResolvers<void>()
  const holding = holder.begin(async (tx) => {
    await tx`LOCK TABLE drizzle.__drizzle_migrations IN ACCESS EXCLUSIVE MODE`
    begun.resolve()
    await held.promise
  })
  await begun.promise
  const migrating = migrateDatabase(url)
  const gaveWay = async () =>
    (
      await sql`SELECT 1 FROM pg_locks WHERE NOT granted AND relation = 'drizzle.__drizzle_migrations'::regclass`
    ).length === 0
  while (await gaveWay()) await Bun.sleep(10)
  while (!(await gaveWay())) await Bun.sleep(10)
  held.resolve()
  await holding
  await migrating
  expect(await problemOf(url)).toBeUndefined()
})

test('what fails is told in PostgreSQL’s own words', async () => {
  const { url, sql } = await database({ migrated: false })
  const role = `reader_${process.pid}`
  await sql.unsafe(`CREATE ROLE ${role} LOGIN PASSWORD 'reader'`)
  opened.push({ close: async () => void (await sql.unsafe(`DROP ROLE ${role}`)) })
  const reader = new URL(url)
  reader.username = role
  reader.password = 'reader'
  await expect(migrateDatabase(reader.href)).rejects.toThrow(/^permission denied for database/)
})
