import { afterAll, beforeAll, expect, test } from 'bun:test'
import { connectDatabase, type Database } from '@palanquin/db/client'
import { createLog } from '@palanquin/service/log'
import { type TestDatabase, testDatabase } from '@palanquin/testing/postgres'
import { readChanged, readOne, readPage, readTime } from './participants-store.ts'

const CROWD = 1_000
const HOUR_MS = 3_600_000

let stored: TestDatabase
let db: Database
beforeAll(async () => {
  stored = await testDatabase()
  db = connectDatabase({
    ...{ url: stored.url, name: 'test' },
    log: createLog({ service: 'test', level: 'silent' }),
  })
  await db.query(
    `INSERT INTO engagement.participants (user_id, display_name, created_at, updated_at)
     SELECT 'crowd-' || n, nullif(n, 1)::text, now() - interval '1 hour', now() - interval '5 minutes' FROM generate_series(1, $1::integer) AS n`,
    [CROWD],
  )
})
afterAll(async () => {
  await db.close()
  await stored.close()
})

test('a row is read with the time of its change as JavaScript would have it', async () => {
  await db.query(
    `INSERT INTO engagement.participants (user_id, consent, visibility, status, created_at, updated_at)
     VALUES ('early', true, 'crowd', 'withdrawn', '2026-04-12', '2026-04-12T05:06:07.891999Z')`,
  )
  expect(await readOne(db, 'early')).toEqual({
    ...{ userId: 'early', displayName: null, consent: true, visibility: 'crowd', status: 'withdrawn' },
    changedAt: Date.parse('2026-04-12T05:06:07.891Z'),
  })
  expect(await readOne(db, 'no-one')).toBeUndefined()
})

test('a crowd that changed at once is read by a read behind it, and by none that began long after it', async () => {
  const readAt = await readTime(db)
  expect(await readChanged(db, readAt - HOUR_MS, 30)).toHaveLength(CROWD)
  expect(await readChanged(db, readAt, 30)).toEqual([])
  expect((await readPage(db, 'crowd-999', 10)).map(({ userId }) => userId)).toEqual(['early'])
})

test('a change is found although the last read was dated ahead of it, by a clock that was set back since', async () => {
  const readAt = await readTime(db)
  await db.query(
    `UPDATE engagement.participants SET updated_at = clock_timestamp() WHERE user_id = 'crowd-7'`,
  )
  const found = await readChanged(db, readAt + HOUR_MS, 30)
  expect(found.map(({ userId }) => userId)).toEqual(['crowd-7'])
})

test('a participant whom a flush has just registered is found, however long ago they were seen', async () => {
  const readAt = await readTime(db)
  await db.query(
    `INSERT INTO engagement.participants (user_id, updated_at) VALUES ('newcomer', now() - interval '5 minutes')`,
  )
  const found = await readChanged(db, readAt, 30)
  expect(found.map(({ userId }) => userId)).toContain('newcomer')
})
