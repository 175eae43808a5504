import { expect, setDefaultTimeout, test } from 'bun:test'
import { shardOf, shardTag } from '@palanquin/domain/ids'
import { auditPoints, NOTHING_WRONG } from '@palanquin/testing/faults/audit'
import { ledger } from '@palanquin/testing/faults/ledger'
import { rounds } from '@palanquin/testing/faults/rounds'
import { redisProxy } from '@palanquin/testing/redis-proxy'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { until } from '@palanquin/testing/until'
import { checkin, faultHarness, sync } from '../test/fault-harness.ts'
import { participants } from '../test/participants.ts'
import { duplicateKey, pendingKey } from './buffer/keys.ts'
import { repairShard } from './buffer/repair.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)
/** So long a check-in that was answered is tried to be written (ingest/checkin/write-behind.ts). */
const WRITE_MS_MAX = 8_000
const harness = faultHarness()

test('Redis down: check-ins are answered 202 and replayed later in order; a sync is a 503 with Retry-After', async () => {
  const service = await harness.start()
  await harness.given.redisServer.kill9()
  for (let i = 0; i < 20; i++) expect((await checkin(service, 'pilgrim', i)).status).toBe(202)
  const refused = await sync(service, 'pilgrim')
  expect(refused.status).toBe(503)
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  expect(service.journal.stats().waiting).toBe(20)
  await harness.given.redisServer.restart()
  await until(() => service.journal.stats().waiting === 0, { what: 'the replay' })
  await until(() => harness.given.redis.isReady, { what: 'the client of the test' })
  const pending = await harness.given.redis.lRange(pendingKey('pilgrim'), 0, -1)
  const times = pending.map((element) => Number(element.split('|')[1]))
  expect(times).toEqual(times.toSorted((a, b) => a - b))
  expect(await harness.flushed(service)).toBe(20)
})

test('Redis stopped: check-ins are answered at once, syncs refused in time; nothing is lost', async () => {
  const service = await harness.start()
  await checkin(service, 'before')
  harness.given.redisServer.suspend()
  const started = performance.now()
  for (let i = 0; i < 10; i++) expect((await checkin(service, 'pilgrim', i)).status).toBe(202)
  expect(performance.now() - started).toBeLessThan(WRITE_MS_MAX) // all ten, before one write would be given up
  expect((await sync(service, 'pilgrim')).status).toBe(503)
  harness.given.redisServer.resume()
  expect(await harness.flushed(service)).toBeGreaterThanOrEqual(11)
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

test('Redis memory full: check-ins go to the journal, syncs get 503, nothing is evicted', async () => {
  const service = await harness.start()
  await sync(service, 'before', 500)
  await harness.given.redis.configSet('maxmemory', '1mb')
  expect((await sync(service, 'pilgrim', 500)).status).toBe(503)
  expect((await checkin(service, 'pilgrim')).status).toBe(202)
  expect(service.journal.stats().waiting).toBe(1)
  await harness.given.redis.configSet('maxmemory', '0')
  expect(await harness.flushed(service)).toBe(501)
})

test('Redis disk full: as long as it refuses writes check-ins go to the journal, syncs get 503', async () => {
  const service = await harness.start()
  await sync(service, 'before', 50)
  // It refuses writes alone, as it does with MISCONF when its file cannot be written: here for want of a replica.
  await harness.given.redis.configSet('min-replicas-to-write', '1')
  const refused = await sync(service, 'pilgrim', 50)
  expect(refused.status).toBe(503)
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  expect((await checkin(service, 'pilgrim')).status).toBe(202)
  await until(async () => (await service.get('/ready')).status === 503, { what: 'it is said' })
  await harness.given.redis.configSet('min-replicas-to-write', '0')
  expect(await harness.flushed(service)).toBe(51)
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
