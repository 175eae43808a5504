import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { StoreUnavailable } from '@palanquin/service/http/api-error'
import { createLog } from '@palanquin/service/log'
import { type TestDatabase, testDatabase } from '@palanquin/testing/postgres'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { until } from '@palanquin/testing/until'
import { eq, sql } from 'drizzle-orm'
import { bigint, doublePrecision, integer, jsonb, pgTable, text, timestamp } from 'drizzle-orm/pg-core'
import postgres from 'postgres'
import Type from 'typebox'
import { connectDatabase, type Database } from './client.ts'
import { Timestamp } from './rows.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)
const things = pgTable('things', {
  id: integer('id').primaryKey(),
  count: bigint('count', { mode: 'number' }).notNull(),
  km: doublePrecision('km').notNull(),
  names: text('names').array().notNull(),
  detail: jsonb('detail').$type<unknown>().notNull(),
  at: timestamp('at', { withTimezone: true, mode: 'date' }).notNull(),
  note: text('note'),
})
type Thing = typeof things.$inferSelect

const log = createLog({ service: 'db-test', level: 'silent' })
let database: TestDatabase
let db: Database
beforeAll(async () => {
  database = await testDatabase()
  db = connectDatabase({ url: database.url, name: 'orm', log, max: 4, deadlineMs: TEST_TIMEOUT_MS })
  await db.query(`create table things (id int primary key, count int8 not null, km float8 not null, names text[] not null,
    detail jsonb not null, at timestamptz not null, note text)`)
})
afterAll(async () => {
  await db.close()
  await database.close()
})

const THING: Thing = {
  id: 1,
  count: 9007199254740991,
  km: 24.123456789012344,
  names: ['plain', 'with,comma', 'with "quotes"', '媽祖 🙏'],
  detail: { nested: ['a "text"', 1, null], text: '{}' },
  at: new Date('2026-05-01T12:34:56.789Z'),
  note: null,
}

test('what drizzle writes it reads, and raw SQL on the same connections reads the same', async () => {
  await db.orm((orm) => orm.insert(things).values(THING))
  expect(await db.orm((orm) => orm.select().from(things).where(eq(things.id, 1)))).toEqual([THING])
  expect<unknown[]>(await db.query('select * from things')).toEqual([THING])
  const Row = Type.Object({ count: Type.Integer(), at: Timestamp, names: Type.Array(Type.String()) })
  const [row] = await db.queryAs(Row, 'select count, at, names from things where at = $1', [
    THING.at.toISOString(),
  ])
  expect(row).toEqual({ count: THING.count, at: THING.at, names: THING.names })
})

test('JSON text of raw SQL and an object of drizzle are the same in the table', async () => {
  const detail = { nested: ['a "text"', 1, null], text: '{}' }
  const [row] = await db.query('select $1::jsonb = $2::text::jsonb as same', [
    JSON.stringify(detail),
    JSON.stringify(detail),
  ])
  expect(row).toEqual({ same: true })
})

test('a row that does not fit its schema is an error', async () => {
  const Row = Type.Object({ one: Type.String() })
  await expect(db.queryAs(Row, 'select 1 as one')).rejects.toBeInstanceOf(TypeError)
})

test('a statement of drizzle that overruns its deadline runs once', async () => {
  await db.query('create table slow (n int)')
  const other = postgres(database.url, { max: 1 })
  await other`select pg_advisory_lock(1)`
  const slow = db.orm((orm) => orm.execute(sql`insert into slow select 1 from pg_advisory_xact_lock(1)`), {
    deadlineMs: 20,
  })
  await expect(slow).rejects.toBeInstanceOf(StoreUnavailable)
  await other.end() // with its lock
  const count = async () => (await db.query('select 1 as one from slow')).length
  await until(async () => (await count()) > 0, { what: 'the row' })
  await db.query('select pg_sleep(1)')
  expect(await count()).toBe(1)
})
