import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { connectDatabase, type Database } from '@palanquin/db/client'
import { createLog } from '@palanquin/service/log'
import { type TestDatabase, testDatabase } from '@palanquin/testing/postgres'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { until } from '@palanquin/testing/until'
import postgres from 'postgres'
import Type from 'typebox'
import {
  ANY_WRITER,
  type ReadMoment,
  readChanged,
  readMoment,
  readOne,
  readPage,
} from './participants-store.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

const CROWD = 1_000
const HOUR_MS = 3_600_000
const Transaction = Type.Object({ id: Type.String() })
const PAGE = { overlapS: 30, oldestWriter: ANY_WRITER, limit: 2_000, names: true }

let stored: TestDatabase
let db: Database
beforeAll(async () => {
  stored = await testDatabase()
  const connected = connectDatabase({
    url: stored.url,
    name: 'test',
    log: createLog({ service: 'test', level: 'silent' }),
    deadlineMs: TEST_TIMEOUT_MS,
  })
  // The statements are tested here, not their deadlines.
  db = { ...connected, queryAs: (schema, text, parameters) => connected.queryAs(schema, text, parameters) }
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
    `INSERT INTO engagement.participants (user_id, consent, visibility, status, public_version, created_at, updated_at)
     VALUES ('early', true, 'crowd', 'withdrawn', 3, '2026-04-12', '2026-04-12T05:06:07.891999Z')`,
  )
  expect(await readOne(db, 'early', { names: true })).toEqual({
    userId: 'early',
    displayName: null,
    consent: true,
    visibility: 'crowd',
    status: 'withdrawn',
    publicVersion: 3,
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

/** The moment of a read to which everything committed so far is visible: one of another test, on the same server, may be older. */
const momentAfterAll = async () => {
  const [last] = await db.queryAs(Transaction, 'SELECT pg_current_xact_id()::text AS id')
  return until(
    async () => {
      const moment = await readMoment(db)
      return BigInt(moment.oldestWriter) > BigInt(last?.id ?? 0) && moment
    },
    { what: 'no older transaction is writing' },
  )
}
const register = (userId: string) => `INSERT INTO engagement.participants (user_id) VALUES ('${userId}')`
const idsOf = async ({ readAt, oldestWriter }: ReadMoment) =>
  (await readChanged(db, { ...PAGE, since: readAt, oldestWriter })).map(({ userId }) => userId)

test('what was visible to the last read is left out; what a transaction of that time has committed since is found', async () => {
  const slow = postgres(stored.url, { max: 1 })
  try {
    await db.query(register('before'))
    await momentAfterAll()
    const transaction = await slow.reserve()
    try {
      await transaction.unsafe(`BEGIN; SAVEPOINT within; ${register('meanwhile')}`)
      await db.query(register('beside'))
      const moment = await readMoment(db)
      expect(await idsOf(moment)).toEqual(['beside'])
      await transaction.unsafe('COMMIT')
      expect((await idsOf(moment)).toSorted()).toEqual(['beside', 'meanwhile'])
    } finally {
      transaction.release()
    }
    const moment = await momentAfterAll()
    expect(await idsOf(moment)).toEqual([])
    expect(await idsOf({ ...moment, oldestWriter: ANY_WRITER })).not.toEqual([])
  } finally {
    await slow.end()
  }
})
