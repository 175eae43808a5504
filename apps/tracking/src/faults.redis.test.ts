import { expect, setDefaultTimeout, test } from 'bun:test'
import { shardOf, shardTag } from '@palanquin/domain/ids'
import { auditPoints, NOTHING_WRONG } from '@palanquin/testing/faults/audit'
import { ledger } from '@palanquin/testing/faults/ledger'
import { rounds } from '@palanquin/testing/faults/rounds'
import { redisProxy } from '@palanquin/testing/redis-proxy'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { until } from '@palanquin/testing/until'
import { batchOf } from '../test/batch.ts'
import { startChild } from '../test/child.ts'
import { checkin, faultHarness, sync } from '../test/fault-harness.ts'
import { untilTaken } from '../test/harness.ts'
import { participants } from '../test/participants.ts'
import { duplicateKey, pendingKey } from './buffer/keys.ts'
import { repairShard } from './buffer/repair.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)
/** So long a check-in that was answered is tried to be written (ingest/checkin/write-behind.ts). */
const WRITE_MS_MAX = 8_000
const harness = faultHarness()

test('Redis down: check-ins and syncs are answered from the journal and replayed later in order; a repeat counts once', async () => {
  const service = await harness.start()
  await harness.given.redisServer.kill9()
  for (let i = 0; i < 20; i++) expect((await checkin(service, 'pilgrim', i)).status).toBe(202)
  const points = [{ lat: 24, lng: 120, recordedAt: Date.now() - 60_000, speed: 130 }, { lat: 91 }]
  const taken = await service.post('/track/sync', { userId: 'pilgrim', points })
  expect(taken).toMatchObject({
    status: 200,
    body: { data: { received: 2, buffered: 1, filtered: 1, rejected: [{ index: 1, reason: 'invalid' }] } },
  })
  expect((await service.post('/track/sync', { userId: 'pilgrim', points })).status).toBe(200)
  expect(service.journal.stats().waiting).toBe(22)
  await harness.given.redisServer.restart()
  await until(() => service.journal.stats().waiting === 0, { what: 'the replay' })
  await until(() => harness.given.redis.isReady, { what: 'the client of the test' })
  const pending = await harness.given.redis.lRange(pendingKey('pilgrim'), 0, -1)
  const times = pending.map((element) => Number(element.split('|')[1]))
  expect(times).toEqual(times.toSorted((a, b) => a - b))
  expect(await harness.flushed(service)).toBe(21)
})

test('Redis down: syncs that the gateway sends together are answered from the journal, and each is stored once', async () => {
  const service = await harness.start()
  await harness.given.redisServer.kill9()
  const syncs = Array.from({ length: 40 }, (_, at) => {
    const userId = `pilgrim-${at}`
    const points = [0, 1].map((ago) => ({ lat: 24, lng: 120, recordedAt: Date.now() - ago * 1_000 }))
    return { userId, json: JSON.stringify({ userId, points }) }
  })
  for (let times = 0; times < 2; times++) {
    const answers = await batchOf(service, '/internal/sync-batch', syncs)
    expect(answers.map(({ status, body }) => [status, body.data?.buffered])).toEqual(
      syncs.map(() => [200, 2]),
    )
  }
  await harness.given.redisServer.restart()
  expect(await harness.flushed(service)).toBe(80)
})

test('Redis down and tracking killed: what a sync was answered for is stored', async () => {
  const child = await startChild(harness.given)
  await harness.given.redisServer.kill9()
  const points = [{ lat: 24, lng: 120, recordedAt: Date.now() - 60_000 }]
  expect((await child.post('/track/sync', { userId: 'pilgrim', points }))?.status).toBe(200)
  await child.kill9()
  await harness.given.redisServer.restart()
  expect(await harness.flushed(await harness.start())).toBe(1)
})

test('Redis down: who is erased, has withdrawn or may not send now is so for syncs too', async () => {
  const service = await harness.start()
  const { sql, redisServer } = harness.given
  expect((await sync(service, 'gone')).status).toBe(200)
  await sql`insert into engagement.participants (user_id) values ('pilgrim')`
  await redisServer.kill9()
  expect((await sync(service, 'gone')).status).toBe(200)
  await redisServer.restart()
  await untilTaken(() => service.post('/internal/erase', { userId: 'gone' }))
  await redisServer.kill9()
  await sql`update engagement.participants set status = 'withdrawn', updated_at = now()`
  await until(async () => (await sync(service, 'pilgrim')).status === 403, { what: 'the withdrawal' })
  for (const status of ['paused', 'ended'] as const) {
    await sql`update engagement.activity set status = ${status}, since = now()`
    await until(async () => (await sync(service, 'somebody')).status === 403, { what: status })
  }
  await redisServer.restart()
  await harness.flushed(service)
  expect(await sql`SELECT 1 FROM tracking.points WHERE user_id = 'gone'`).toHaveLength(0)
})

test('Redis stopped: check-ins are answered at once, syncs in time; nothing is lost', async () => {
  const service = await harness.start()
  await checkin(service, 'before')
  harness.given.redisServer.suspend()
  const started = performance.now()
  for (let i = 0; i < 10; i++) expect((await checkin(service, 'pilgrim', i)).status).toBe(202)
  expect(performance.now() - started).toBeLessThan(WRITE_MS_MAX) // all ten, before one write would be given up
  expect((await sync(service, 'pilgrim')).status).toBe(200)
  harness.given.redisServer.resume()
  expect(await harness.flushed(service)).toBe(12)
  const [{ n } = { n: 0 }] = await harness.given
    .sql`SELECT count(*)::int AS n FROM tracking.points WHERE kind = 0`
  expect(n).toBe(11)
})

test('a write that fails does not use up the duplicate key; one whose reply is lost counts once', async () => {
  const proxy = await redisProxy(harness.given.redisServer.url)
  harness.cleanUp.push(proxy.close)
  const service = await harness.start({ REDIS_URL: proxy.url })
  await until(() => service.redis.isReady, { what: 'Redis' })
  await proxy.set('stall')
  expect((await checkin(service, 'stalled')).status).toBe(202)
  await proxy.set('reset')
  expect(await harness.given.redis.exists(duplicateKey('stalled', 24, 120.6))).toBe(0)
  await proxy.set('pass')
  await until(() => service.journal.stats().waiting === 0, { what: 'the retry' })
  await proxy.set('drop-reply')
  expect((await checkin(service, 'unheard')).status).toBe(202)
  await until(() => proxy.dropped() > 0, { what: 'a reply is lost' })
  await proxy.set('pass')
  await until(() => service.journal.stats().waiting === 0, { what: 'the retry' })
  expect(await harness.flushed(service)).toBe(2)
  const tracks = await harness.given.sql`SELECT checkins FROM tracking.tracks ORDER BY user_id`
  expect(tracks.map(({ checkins }) => checkins)).toEqual([1, 1])
})

test('repeats of a place within a minute count once also when the journal replays them together', async () => {
  const service = await harness.start()
  await harness.given.redisServer.kill9()
  const at = (recordedAt: number) =>
    service.post('/checkin', { userId: 'pilgrim', lat: 24, lng: 120.6, recordedAt: Date.now() - recordedAt })
  for (const recordedAt of [5_000, 4_000, 3_000]) expect((await at(recordedAt)).status).toBe(202)
  await harness.given.redisServer.restart()
  expect(await harness.flushed(service)).toBe(1)
})

test('Redis memory full: check-ins and syncs go to the journal, nothing is evicted', async () => {
  const service = await harness.start()
  await sync(service, 'before', 500)
  await harness.given.redis.configSet('maxmemory', '1mb')
  expect((await sync(service, 'pilgrim', 500)).status).toBe(200)
  expect((await checkin(service, 'pilgrim')).status).toBe(202)
  expect(service.journal.stats().waiting).toBe(2)
  await harness.given.redis.configSet('maxmemory', '0')
  expect(await harness.flushed(service)).toBe(1_001)
})

test('Redis disk full: as long as it refuses writes check-ins and syncs go to the journal', async () => {
  const service = await harness.start()
  await sync(service, 'before', 50)
  // It refuses writes alone, as it does with MISCONF when its file cannot be written: here for want of a replica.
  await harness.given.redis.configSet('min-replicas-to-write', '1')
  expect((await sync(service, 'pilgrim', 50)).status).toBe(200)
  expect((await checkin(service, 'pilgrim')).status).toBe(202)
  await until(async () => (await service.get('/ready')).status === 503, { what: 'it is said' })
  await harness.given.redis.configSet('min-replicas-to-write', '0')
  expect(await harness.flushed(service)).toBe(101)
})

test('Redis restarts under load: acknowledged points remain, through kill -9 again and again', async () => {
  const service = await harness.start()
  const book = ledger()
  const load = participants({ count: 8, seed: 41, book, post: service.post })
  for (let round = 0; round < rounds(3); round++) {
    await Bun.sleep(300) // some load
    await harness.given.redisServer.kill9()
    await Bun.sleep(100)
    await harness.given.redisServer.restart()
    await until(() => service.redis.isReady, { what: 'Redis again' })
  }
  await load.stop()
  await until(async () => (await service.post('/internal/flush')).status === 200, { what: 'a whole flush' })
  const { acknowledged, indeterminate: _, ...found } = await auditPoints(harness.given.sql, book)
  expect(found).toEqual(NOTHING_WRONG)
  expect(acknowledged).toBeGreaterThan(50)
})

test('Redis comes back empty: it is logged, scripts and views are restored, and no point counts twice', async () => {
  const service = await harness.start()
  await checkin(service, 'pilgrim')
  await harness.flushed(service)
  await harness.given.redis.flushAll()
  await harness.given.redis.scriptFlush()
  await checkin(service, 'pilgrim', 1)
  await checkin(service, 'pilgrim', 0)
  expect((await sync(service, 'pilgrim', 10)).status).toBe(200)
  expect(await harness.flushed(service)).toBe(12)
  const metrics = await (await service.app.fetch(new Request('http://tracking/metrics'))).text()
  expect(metrics).toMatch(/^palanquin_buffer_emptied_total\{.*\} 1$/m)
})

test('Redis comes back empty with a clock that is behind: entries older than the cursor are stored too', async () => {
  const service = await harness.start()
  await checkin(service, 'pilgrim')
  await harness.flushed(service)
  const shard = shardOf('pilgrim')
  await harness.given.sql`UPDATE tracking.flush_cursors SET cursor = '9999999999999-5' WHERE shard = ${shard}`
  await checkin(service, 'pilgrim', 1)
  await sync(service, 'pilgrim', 10)
  expect(await harness.flushed(service)).toBe(12)
  expect(await harness.given.redis.xLen(`${shardTag(shard)}:points`)).toBe(0)
})

test('keys that follow from the stream are restored when they are missing', async () => {
  const service = await harness.start()
  await checkin(service, 'pilgrim', 0)
  await checkin(service, 'pilgrim', 1)
  await sync(service, 'pilgrim', 10)
  await until(() => service.journal.stats().waiting === 0, { what: 'Redis has them' })
  const tag = shardTag(shardOf('pilgrim'))
  const pending = await harness.given.redis.lRange(pendingKey('pilgrim'), 0, -1)
  await harness.given.redis.del([`${tag}:count`, pendingKey('pilgrim')])
  await repairShard(service.redis, { shard: shardOf('pilgrim'), cursor: '0-0', version: 0 })
  expect(await harness.given.redis.get(`${tag}:count`)).toBe('12')
  expect(await harness.given.redis.lRange(pendingKey('pilgrim'), 0, -1)).toEqual(pending)
})
