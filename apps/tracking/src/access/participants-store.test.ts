import { afterAll, beforeAll, expect, test } from 'bun:test'
import { connectDatabase, type Database } from '@palanquin/db/client'
import { createLog } from '@palanquin/service/log'
import { type TestDatabase, testDatabase } from '@palanquin/testing/postgres'
import postgres from 'postgres'
import { ANY_WRITER, readChanged, readMoment, readOne, readPage } from './participants-store.ts'

const CROWD = 1_000
const HOUR_MS = 3_600_000
const PAGE = { overlapS: 30, oldestWriter: ANY_WRITER, limit: 2_000, names: true }

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
  expect(await readOne(db, 'early', { names: true })).toEqual({
    ...{ userId: 'early', displayName: null, consent: true, visibility: 'crowd', status: 'withdrawn' },
    changedAt: Date.parse('2026-04-12T05:06:07.891Z'),
  })
  expect(await readOne(db, 'no-one', { names: true })).toBeUndefined()
})

test('a crowd that changed at once is read by a read behind it, and by none that began long after it', async () => {
  const { readAt } = await readMoment(db)
  expect(await readChanged(db, { ...PAGE, since: readAt - HOUR_MS })).toHaveLength(CROWD)
  expect(await readChanged(db, { ...PAGE, since: readAt })).toEqual([])
  expect(
    (await readPage(db, { after: 'crowd-999', limit: 10, names: true })).map(({ userId }) => userId),
  ).toEqual(['early'])
})

test('a change is found although the last read was dated ahead of it, by a clock that was set back since', async () => {
  const { readAt } = await readMoment(db)
  await db.query(
    `UPDATE engagement.participants SET updated_at = clock_timestamp() WHERE user_id = 'crowd-7'`,
  )
  const found = await readChanged(db, { ...PAGE, since: readAt + HOUR_MS })
  expect(found.map(({ userId }) => userId)).toEqual(['crowd-7'])
})

test('a participant whom a flush has just registered is found, however long ago they were seen', async () => {
  const { readAt } = await readMoment(db)
  await db.query(
    `INSERT INTO engagement.participants (user_id, updated_at) VALUES ('unregistered', now() - interval '5 minutes')`,
  )
  const found = await readChanged(db, { ...PAGE, since: readAt })
  expect(found.map(({ userId }) => userId)).toContain('unregistered')
})

test('a crowd that changed at once is read by pages, each row once', async () => {
  const since = (await readMoment(db)).readAt - HOUR_MS
  const all = await readChanged(db, { ...PAGE, since })
  const seen: string[] = []
  let after: (typeof all)[number] | undefined
  do {
    const page = await readChanged(db, { ...PAGE, since, after, limit: 300 })
    seen.push(...page.map(({ userId }) => userId))
    after = page.at(-1)
  } while (after)
  expect(seen).toEqual(all.map(({ userId }) => userId))
  expect(new Set(seen).size).toBe(seen.length)
  expect(seen.length).toBeGreaterThan(CROWD)
})

test('names are left out where they are not wanted', async () => {
  expect(await readOne(db, 'crowd-2', { names: true })).toMatchObject({ displayName: '2' })
  expect(await readOne(db, 'crowd-2', { names: false })).toMatchObject({ displayName: null })
})

test('what was visible to the last read is left out; what a transaction of that time has committed since is found', async () => {
  const slow = postgres(stored.url, { max: 1 })
  try {
    const register = (userId: string) => `INSERT INTO engagement.participants (user_id) VALUES ('${userId}')`
    await db.query(register('before'))
    const transaction = await slow.reserve()
    try {
      await transaction.unsafe(`BEGIN; SAVEPOINT within; ${register('meanwhile')}`)
      await db.query(register('beside'))
      const { readAt, oldestWriter } = await readMoment(db)
      const idsOf = async () =>
        (await readChanged(db, { ...PAGE, since: readAt, oldestWriter })).map(({ userId }) => userId)
      expect(await idsOf()).not.toContain('before')
      await transaction.unsafe('COMMIT')
      const found = await idsOf()
      expect(found).toContain('meanwhile')
      expect(found).not.toContain('before')
    } finally {
      transaction.release()
    }
    const { readAt, oldestWriter } = await readMoment(db)
    expect(await readChanged(db, { ...PAGE, since: readAt, oldestWriter })).toEqual([])
    expect(await readChanged(db, { ...PAGE, since: readAt })).not.toEqual([])
  } finally {
    await slow.end()
  }
})
