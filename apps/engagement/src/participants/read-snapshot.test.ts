import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { BY_KEY, connectDatabase, type Database } from '@palanquin/db/client'
import { createLog } from '@palanquin/service/log'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { bufferOf } from '../../test/buffer.ts'
import { startTestService, type TestService } from '../../test/service.ts'
import { snapshotReader } from './read-snapshot.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.close())

/** A database that counts its statements. */
function counting(db: Database): Database & { statements: () => number } {
  let statements = 0
  return {
    ...db,
    query: (...call) => {
      statements++
      return db.query(...call)
    },
    statements: () => statements,
  }
}

/** Participants of every kind: plain, settled, unsettled, pending, joined to another id, and unknown. */
async function everyKind() {
  const userIds = ['plain', 'flushed', 'rebuilt', 'pending', 'joined', 'unknown']
  await service.data('/user/sync', { body: { userId: 'plain', displayName: 'A' } })
  await service.sql`INSERT INTO engagement.links (device_id, user_id) VALUES ('joined', 'plain')`
  const flushed = bufferOf(service, 'flushed')
  for (let i = 0; i < 3; i++) await flushed.checkin()
  await flushed.flush(3)
  const rebuilt = bufferOf(service, 'rebuilt')
  await rebuilt.checkin()
  await rebuilt.confirm(await rebuilt.store(1, { late: true }))
  const pending = bufferOf(service, 'pending')
  for (let i = 0; i < 2; i++) await pending.checkin()
  const state = async (userId: string) => ({
    userId,
    pending: (await service.cache.read(userId))?.pending ?? [],
  })
  return Promise.all(userIds.map(state))
}

test('snapshots of one tick are read together, and each is what it is alone', async () => {
  const requests = await everyKind()
  const db = counting(service.db)
  const read = snapshotReader(db)
  const alone = []
  for (const request of requests) alone.push(await read(request))
  expect(
    alone.map(({ track, unsettled, pendingCheckins }) => [track?.checkins, unsettled, pendingCheckins]),
  ).toEqual([
    [undefined, false, 0],
    [3, false, 0],
    [1, true, 0],
    [undefined, false, 2],
    [undefined, false, 0],
    [undefined, false, 0],
  ])
  const before = db.statements()
  const twice = [...requests, ...requests.toReversed()]
  expect(await Promise.all(twice.map(read))).toEqual([...alone, ...alone.toReversed()])
  // Of all, of those with pending check-ins, and of those whose track waits for its rebuild.
  expect(db.statements() - before).toBe(3)
})

test('statements of profiles are planned once for a connection, by the indexes of tables that are nearly empty', async () => {
  const db = connectDatabase({
    url: service.databaseUrl,
    name: 'plans',
    log: createLog({ service: 'test', level: 'silent' }),
    max: 1,
    deadlineMs: TEST_TIMEOUT_MS,
    settings: BY_KEY,
  })
  try {
    await service.sql`ANALYZE`
    const read = snapshotReader(db)
    for (const userId of ['a', 'b', 'c', 'd', 'e', 'f', 'g']) await read({ userId, pending: [] })
    const planned = await db.query(
      "SELECT generic_plans, custom_plans FROM pg_prepared_statements WHERE statement LIKE '%tracking.tracks%' AND statement NOT LIKE '%pg_prepared%'",
    )
    expect(planned).toEqual([{ generic_plans: 7, custom_plans: 0 }])
    const [{ name } = { name: '' }] = await db.query<{ name: string }>(
      "SELECT name FROM pg_prepared_statements WHERE statement LIKE '%tracking.tracks%' AND statement NOT LIKE '%pg_prepared%'",
    )
    const plan = await db.query(`EXPLAIN (VERBOSE) EXECUTE "${name}" ('{a,b}', '{1,2}')`)
    expect(JSON.stringify(plan)).not.toMatch(/Seq Scan|hash|Merge/i)
  } finally {
    await db.close()
  }
})
