import { expect, setDefaultTimeout, test } from 'bun:test'
import { testClock } from '@palanquin/testing/clock'
import { faultProxy } from '@palanquin/testing/fault-proxy'
import { auditPoints, NOTHING_WRONG } from '@palanquin/testing/faults/audit'
import { ledger, outcomeOf, pointKey } from '@palanquin/testing/faults/ledger'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { until } from '@palanquin/testing/until'
import { checkin, faultHarness, sync } from '../test/fault-harness.ts'
import { flushHeldMidStatement } from '../test/half-done.ts'
import { type Service, tracking } from '../test/harness.ts'
import { pendingKey, pointsKey } from './buffer/keys.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)
const harness = faultHarness()

const HOUR_MS = 3_600_000
const points = async () =>
  (await harness.given.sql<{ n: number }[]>`SELECT count(*)::int AS n FROM tracking.points`)[0]?.n
const taken = (service: Service) =>
  until(() => service.journal.stats().waiting === 0, { what: 'Redis has everything' })

test('PostgreSQL backend dies mid-statement: that flush is a 503, nothing is half stored, and the next one stores all', async () => {
  const service = await harness.start()
  for (let i = 0; i < 5; i++) await checkin(service, 'pilgrim', i)
  await sync(service, 'pilgrim', 20)
  await taken(service)
  const { flushing, waiting, go } = await flushHeldMidStatement(harness.given.sql, () =>
    service.post('/internal/flush'),
  )
  const others = Array.from({ length: 5 }, () => service.get('/ready')) // queries of the same pool
  await harness.given.sql`SELECT pg_terminate_backend(pid) FROM unnest(${waiting}::int[]) AS pid`
  const answer = await flushing
  expect(answer.status).toBe(503)
  expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
  await Promise.all(others)
  expect(await points()).toBe(0)
  await go()
  expect(await harness.flushed(service)).toBe(25)
  const [track] = await harness.given.sql`SELECT points, checkins FROM tracking.tracks`
  expect(track).toEqual({ points: 25, checkins: 5 })
})

test('Reply lost after commit: the flush without a reply has stored all, and the next one adds nothing', async () => {
  const proxy = await faultProxy(harness.given.database.url)
  harness.cleanUp.push(proxy.close)
  const service = await harness.start({ DATABASE_URL: proxy.url })
  await checkin(service, 'pilgrim')
  await sync(service, 'pilgrim', 20)
  await taken(service)
  const { flushing, go } = await flushHeldMidStatement(harness.given.sql, () =>
    service.post('/internal/flush'),
  )
  await proxy.set('drop-reply')
  await go()
  expect((await flushing).status).toBe(503)
  expect(proxy.dropped()).toBeGreaterThan(0)
  await proxy.set('pass')
  expect(await points()).toBe(21)
  expect(await harness.flushed(service)).toBe(21)
  const [track] = await harness.given.sql`SELECT points, checkins FROM tracking.tracks`
  expect(track).toEqual({ points: 21, checkins: 1 })
  expect(await harness.given.redis.xLen(pointsKey(0))).toBe(0)
})

test('PostgreSQL disk full: the flush stops, the buffer grows and health shows it; with space again everything is there once', async () => {
  const { sql } = harness.given
  const service = await harness.start()
  await checkin(service, 'pilgrim', 0)
  expect(await harness.flushed(service)).toBe(1)
  const { lastFlush } = (await service.get('/internal/health')).body.data as { lastFlush: string }
  await sql`CREATE FUNCTION no_space() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = 'disk_full'; END $$`
  await sql`CREATE TRIGGER no_space BEFORE INSERT ON tracking.tracks EXECUTE FUNCTION no_space()`
  for (let i = 1; i < 4; i++) {
    expect((await checkin(service, 'pilgrim', i)).status).toBe(202)
    await taken(service)
    expect((await service.post('/internal/flush')).status).toBe(503)
    // What the line-bot raises its alarm by: waiting points, and a last flush that grows old.
    const health = async () => (await service.get('/internal/health')).body.data as Record<string, unknown>
    await until(async () => (await health()).bufferSize === i, { what: `${i} waiting points` })
    expect(await health()).toMatchObject({ lastFlush })
  }
  expect(await points()).toBe(1)
  await sql`DROP TRIGGER no_space ON tracking.tracks`
  expect(await harness.flushed(service)).toBe(4)
  expect(await sql`SELECT 1 FROM tracking.set_aside`).toHaveLength(0)
})

test('PostgreSQL away for 3 days: at the limit of Redis it is the journal, nothing expires, nothing is evicted, nothing is lost', async () => {
  const { redis, sql, database } = harness.given
  const proxy = await faultProxy(database.url)
  harness.cleanUp.push(proxy.close)
  await proxy.set('refuse')
  const clock = testClock(Date.now() - 72 * HOUR_MS)
  const service = await tracking(harness.given, { env: { DATABASE_URL: proxy.url }, now: clock.now })
  harness.cleanUp.push(service.close)
  await until(() => service.redis.isReady, { what: 'Redis' })
  const book = ledger()
  const userId = 'pilgrim'
  const send = async (hour: number) => {
    const point = { lat: 24 + hour / 100, lng: 120.6, recordedAt: clock.now() }
    const checkedIn = await service.post('/checkin', { userId, ...point })
    const synced = await service.post('/track/sync', { userId, points: [point] })
    for (const [kind, { status }] of [['checkin', checkedIn] as const, ['track', synced] as const])
      book.note(pointKey({ userId, kind, recordedAt: point.recordedAt }), outcomeOf(status))
    return [checkedIn.status, synced.status]
  }
  for (let hour = 0; hour < 60; hour += 6) {
    expect(await send(hour)).toEqual([202, 200])
    clock.advance(6 * HOUR_MS)
  }
  await taken(service)
  for (const key of [pendingKey(userId), `${pendingKey(userId).split(':')[0]}:points`])
    expect(await redis.ttl(key)).toBe(-1)
  expect(await redis.configGet('maxmemory-policy')).toEqual({ 'maxmemory-policy': 'noeviction' })
  await redis.configSet('maxmemory', '1mb')
  expect(await send(60)).toEqual([202, 200])
  clock.advance(12 * HOUR_MS)
  expect(service.journal.stats().waiting).toBe(2)
  await redis.configSet('maxmemory', '0')
  await proxy.set('pass')
  expect(await harness.flushed(service)).toBe(22)
  const { acknowledged, indeterminate, ...found } = await auditPoints(sql, book)
  expect({ acknowledged, indeterminate }).toEqual({ acknowledged: 22, indeterminate: 0 })
  expect(found).toEqual(NOTHING_WRONG)
})
