import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { createLog } from '@palanquin/service/log'
import { type TestDatabase, testDatabase } from '@palanquin/testing/postgres'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { getTableColumns, getTableName, is } from 'drizzle-orm'
import { getTableConfig, PgTable } from 'drizzle-orm/pg-core'
import { connectDatabase, type Database } from './client.ts'
import { migrateDatabase } from './migrate.ts'
import * as engagement from './schema/engagement.ts'
import * as line from './schema/line.ts'
import * as media from './schema/media.ts'
import * as tracking from './schema/tracking.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)
const log = createLog({ service: 'db-test', level: 'silent' })
let database: TestDatabase
let db: Database

beforeAll(async () => {
  database = await testDatabase({ migrated: false })
  db = connectDatabase({ url: database.url, name: 'migrate-test', log })
  // Four services of a fresh installation boot at once.
  await Promise.all(Array.from({ length: 4 }, () => migrateDatabase(database.url)))
})
afterAll(async () => {
  await db.close()
  await database.close()
})

const tables = Object.values({ ...engagement, ...line, ...media, ...tracking }).filter((value) =>
  is(value, PgTable),
)

test('four processes that migrate at once leave one schema, and a fifth changes nothing', async () => {
  await migrateDatabase(database.url)
  expect(await db.query('select count(*) as rows from tracking.flush_cursors')).toEqual([{ rows: 16 }])
  expect(await db.query('select status from engagement.activity')).toEqual([{ status: 'active' }])
})

test('every table of the drizzle schema has the columns, nullability and defaults that the migration gave it', async () => {
  expect(tables.length).toBeGreaterThan(10)
  for (const table of tables) {
    const { schema } = getTableConfig(table)
    const stored = await db.query<{ name: string; required: boolean }>(
      `select column_name as name, is_nullable = 'NO' as required from information_schema.columns
        where table_schema = $1 and table_name = $2`,
      [schema ?? 'public', getTableName(table)],
    )
    const described = Object.values(getTableColumns(table)).map((column) => ({
      name: column.name,
      required: column.notNull,
    }))
    const byName = (a: { name: string }, b: { name: string }) => a.name.localeCompare(b.name)
    expect({ table: getTableName(table), columns: described.sort(byName) }).toEqual({
      table: getTableName(table),
      columns: [...stored].sort(byName),
    })
  }
})

test('a day’s partition is made once, and takes that day’s points alone', async () => {
  const asked = await Promise.all(
    Array.from({ length: 8 }, () =>
      db.query<{ made: boolean }>("select tracking.ensure_points_partition('2026-05-01') as made"),
    ),
  )
  expect(asked.flat().filter((row) => row.made).length).toBeGreaterThanOrEqual(1)
  const insert = (at: string) =>
    db.query(
      'insert into tracking.points values ($1, $2::timestamptz, 0, 24.5, 120.7, null, null, null, null, $3, null, now())',
      ['U1', at, 'auto'],
    )
  await insert('2026-05-01T00:00:00Z')
  await insert('2026-05-01T23:59:59.999Z')
  await expect(insert('2026-05-02T00:00:00Z')).rejects.toThrow(/no partition/)
  await expect(insert('2026-05-01T00:00:00Z')).rejects.toThrow(/duplicate key/)
  expect(await db.query('select count(*) as rows from tracking.points_20260501')).toEqual([{ rows: 2 }])
})
