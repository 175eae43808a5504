import { afterEach, beforeEach, expect, setDefaultTimeout, test } from 'bun:test'
import { shardOf, shardTag } from '@palanquin/domain/ids'
import { faultProxy } from '@palanquin/testing/fault-proxy'
import { testPostgres } from '@palanquin/testing/postgres'
import { until } from '@palanquin/testing/until'
import { killChildren, startChild } from '../test/child.ts'
import { type Service, type Stores, stores, tracking } from '../test/harness.ts'
import { ledger, NOTHING_WRONG } from '../test/ledger.ts'
import { walkers } from '../test/walkers.ts'
import { duplicateKey, pendingKey } from './buffer/keys.ts'

setDefaultTimeout(60_000) // real servers on a busy machine

const HOUR_AGO = Date.now() - 3_600_000
let given: Stores
const cleanUp: (() => Promise<unknown>)[] = []
beforeEach(async () => {
  given = await stores()
})
afterEach(async () => {
  await killChildren()
  for (const work of cleanUp.splice(0).reverse()) await work()
  await given.close()
})

async function start(env = {}): Promise<Service> {
  const service = await tracking(given, { env })
  cleanUp.push(service.close)
  return service
}
const checkin = (service: Service, userId: string, i = 0) =>
  service.post('/checkin', {
    userId,
    lat: 24 + i / 1000,
    lng: 120.6,
    recordedAt: HOUR_AGO + i * 60_000,
  })
const sync = (service: Service, userId: string, count = 1) =>
  service.post('/track/sync', {
    userId,
    points: Array.from({ length: count }, (_, i) => ({
      lat: 24,
      lng: 120,
      recordedAt: Date.now() - i * 1000,
    })),
  })
const flushed = async (service: Service) => {
  await until(async () => (await service.post('/internal/flush')).status === 200, { what: 'a whole flush' })
  const [{ n = 0 } = {}] = await given.sql<{ n: number }[]>`SELECT count(*)::int AS n FROM tracking.points`
  return n
}

test('Redis down: check-ins are answered 202 and replayed later in order; a sync is a 503 with Retry-After', async () => {
  const service = await start()
  await given.redisServer.kill9()
  for (let i = 0; i < 20; i++) expect((await checkin(service, 'walker', i)).status).toBe(202)
  const refused = await sync(service, 'walker')
  expect(refused.status).toBe(503)
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  expect(service.journal.stats()).toMatchObject({ waiting: 20, segments: 1 })
  await given.redisServer.restart()
  await until(() => service.journal.stats().waiting === 0, { what: 'the replay' })
  await until(() => given.redis.isReady, { what: 'the client of the test' })
  const pending = await given.redis.lRange(pendingKey('walker'), 0, -1)
  const times = pending.map((element) => Number(element.split('|')[1]))
  expect(times).toEqual(times.toSorted((a, b) => a - b))
  expect(await flushed(service)).toBe(20)
})

test('Redis suspended: check-ins are answered at once, syncs refused in time; nothing is lost', async () => {
  const service = await start()
  await checkin(service, 'before')
  given.redisServer.suspend()
  const started = performance.now()
  for (let i = 0; i < 10; i++) expect((await checkin(service, 'walker', i)).status).toBe(202)
  expect(performance.now() - started).toBeLessThan(1_000)
  expect((await sync(service, 'walker')).status).toBe(503)
  given.redisServer.resume()
  expect(await flushed(service)).toBeGreaterThanOrEqual(11)
  const [{ n } = { n: 0 }] = await given.sql`SELECT count(*)::int AS n FROM tracking.points WHERE kind = 0`
  expect(n).toBe(11)
})

test('a write that fails does not use up the duplicate key; one whose reply is lost counts once', async () => {
  const proxy = await faultProxy(given.redisServer.url)
  cleanUp.push(proxy.close)
  const service = await start({ REDIS_URL: proxy.url })
  await until(() => service.redis.isReady, { what: 'Redis' })
  await proxy.set('stall')
  expect((await checkin(service, 'stalled')).status).toBe(202)
  await proxy.set('reset')
  expect(await given.redis.exists(duplicateKey('stalled', 24, 120.6))).toBe(0)
  await proxy.set('pass')
  await until(() => service.journal.stats().waiting === 0, { what: 'the retry' })
  await proxy.set('drop-reply')
  expect((await checkin(service, 'unheard')).status).toBe(202)
  await until(() => proxy.dropped() > 0, { what: 'a reply is lost' })
  await proxy.set('pass')
  await until(() => service.journal.stats().waiting === 0, { what: 'the retry' })
  expect(await flushed(service)).toBe(2)
  const tracks = await given.sql`SELECT checkins FROM tracking.tracks ORDER BY user_id`
  expect(tracks.map(({ checkins }) => checkins)).toEqual([1, 1])
})

test('repeats of a place within a minute are one also when they come out of the journal together', async () => {
  const service = await start()
  await given.redisServer.kill9()
  const at = (recordedAt: number) =>
    service.post('/checkin', { userId: 'walker', lat: 24, lng: 120.6, recordedAt: Date.now() - recordedAt })
  for (const recordedAt of [5_000, 4_000, 3_000]) expect((await at(recordedAt)).status).toBe(202)
  await given.redisServer.restart()
  expect(await flushed(service)).toBe(1)
})

test('Redis full: check-ins go to the journal, syncs get 503, nothing is evicted', async () => {
  const service = await start()
  await sync(service, 'before', 500)
  await given.redis.configSet('maxmemory', '1mb')
  expect((await sync(service, 'walker', 500)).status).toBe(503)
  expect((await checkin(service, 'walker')).status).toBe(202)
  expect(service.journal.stats().waiting).toBe(1)
  await given.redis.configSet('maxmemory', '0')
  expect(await flushed(service)).toBe(501)
})

test('Redis comes back empty: it is said, scripts and views are made anew, and no point counts twice', async () => {
  const service = await start()
  await checkin(service, 'walker')
  await flushed(service)
  await given.redis.flushAll()
  await given.redis.scriptFlush()
  await checkin(service, 'walker', 1)
  await checkin(service, 'walker', 0)
  expect((await sync(service, 'walker', 10)).status).toBe(200)
  expect(await flushed(service)).toBe(12)
  const metrics = await (await service.app.fetch(new Request('http://tracking/metrics'))).text()
  expect(metrics).toMatch(/^buffer_emptied_total\{.*\} 1$/m)
})

test('Redis comes back empty with a clock that is behind: older entries than the cursor are stored all the same', async () => {
  const service = await start()
  await checkin(service, 'walker')
  await flushed(service)
  const shard = shardOf('walker')
  await given.sql`UPDATE tracking.flush_cursors SET cursor = '9999999999999-5' WHERE shard = ${shard}`
  await checkin(service, 'walker', 1)
  await sync(service, 'walker', 10)
  expect(await flushed(service)).toBe(12)
  expect(await given.redis.xLen(`${shardTag(shard)}:points`)).toBe(0)
})

test('keys that follow from the stream are made anew when they are missing', async () => {
  const service = await start()
  await checkin(service, 'walker', 0)
  await checkin(service, 'walker', 1)
  await sync(service, 'walker', 10)
  await until(() => service.journal.stats().waiting === 0, { what: 'Redis has them' })
  const tag = shardTag(shardOf('walker'))
  const pending = await given.redis.lRange(pendingKey('walker'), 0, -1)
  await given.redis.del([`${tag}:count`, pendingKey('walker')])
  const { repairShard } = await import('./buffer/repair.ts')
  await repairShard(service.redis, { shard: shardOf('walker'), cursor: '0-0', version: 0 })
  expect(await given.redis.get(`${tag}:count`)).toBe('12')
  expect(await given.redis.lRange(pendingKey('walker'), 0, -1)).toEqual(pending)
})

test('PostgreSQL killed in the middle of flushes, away, and back: everything is there once', async () => {
  const postgresServer = await testPostgres()
  cleanUp.push(postgresServer.close)
  const own = {
    ...given,
    sql: (await import('postgres')).default(postgresServer.url, { max: 2, onnotice: () => {} }),
  }
  cleanUp.push(() => own.sql.end({ timeout: 1 }))
  const service = await start({ DATABASE_URL: postgresServer.url })
  const book = ledger()
  const load = walkers({ count: 8, seed: 5, book, post: service.post })
  for (let round = 0; round < 4; round++) {
    const flush = service.post('/internal/flush')
    await Bun.sleep(5 + round * 25) // somewhere in the middle of it
    await postgresServer.kill9()
    await flush
    const health = await service.get('/internal/health')
    expect(health.body.data).toMatchObject({ d1: 'error', kv: 'ok' })
    expect((await checkin(service, 'meanwhile', round)).status).toBe(202)
    expect((await service.post('/internal/flush')).status).toBe(503)
    await postgresServer.restart()
  }
  await load.stop()
  await until(async () => (await service.post('/internal/flush')).status === 200, { what: 'a whole flush' })
  const { acknowledged, phantom, ...found } = await book.check(own)
  expect(found).toEqual({ lost: [], doubled: 0, wrong: [], trackless: 0 })
  expect(phantom.every((key) => key.startsWith('meanwhile|'))).toBe(true)
  expect(phantom).toHaveLength(4)
  expect(acknowledged).toBeGreaterThan(100)
}, 120_000)

test('without PostgreSQL and Redis at the start check-ins are taken, and everything follows when they come', async () => {
  await given.redisServer.kill9()
  const proxy = await faultProxy(given.database.url)
  cleanUp.push(proxy.close)
  await proxy.set('refuse')
  const service = await start({ DATABASE_URL: proxy.url })
  expect((await checkin(service, 'early')).status).toBe(202)
  expect((await service.get('/ready')).status).toBe(503)
  expect((await service.get('/internal/health')).body.data).toMatchObject({
    d1: 'error',
    kv: 'error',
    bufferSize: 1,
  })
  await given.redisServer.restart()
  await proxy.set('pass')
  expect(await flushed(service)).toBe(1)
  await until(async () => (await service.get('/ready')).status === 200, { what: 'ready' })
  expect((await service.get('/internal/health')).body.data).toMatchObject({
    d1: 'ok',
    kv: 'ok',
    bufferSize: 0,
    lastFlush: expect.any(String),
  })
})

test('two processes flush at once, and one whose lock was stolen goes on: every point once, every figure right', async () => {
  const [one, other] = [await start(), await start({ JOURNAL_DIR: `${given.folder}/other` })]
  const book = ledger()
  const load = walkers({ count: 8, seed: 9, book, post: one.post })
  const more = walkers({ count: 8, seed: 10, book, post: other.post })
  for (let round = 0; round < 12; round++) {
    await given.redis.pExpire('flush:lock', 1)
    await Promise.all([one.flusher.flush(), given.redis.del('flush:lock').then(() => other.flusher.flush())])
  }
  await Promise.all([load.stop(), more.stop()])
  await flushed(one)
  await flushed(other)
  const { acknowledged, ...found } = await book.check(given)
  expect(found).toEqual(NOTHING_WRONG)
  expect(acknowledged).toBeGreaterThan(200)
}, 60_000)

test('a full disk: 503 with Retry-After, and every check-in that was answered 202 is there', async () => {
  // A file of the child may hold 16 blocks: the write that crosses them is cut short, as on a full disk.
  const child = await startChild(given, {}, { limit: "trap '' XFSZ; ulimit -f 16" })
  const statuses: (number | undefined)[] = []
  let refusal: Awaited<ReturnType<typeof child.post>> = null
  for (let i = 0; i < 60; i++) {
    const answer = await child.post('/checkin', {
      userId: `walker-${i}`,
      lat: 24,
      lng: 120.6,
      note: 'x'.repeat(200),
    })
    statuses.push(answer?.status)
    if (answer?.status === 503) refusal = answer
  }
  const taken = statuses.flatMap((status, i) => (status === 202 ? [`walker-${i}`] : []))
  expect(new Set(statuses)).toEqual(new Set([202, 503]))
  expect(refusal?.retryAfter).toMatch(/^\d+$/)
  expect((await child.post('/internal/flush'))?.status).toBe(200)
  const rows = await given.sql`SELECT user_id FROM tracking.points`
  expect(rows.map(({ user_id }) => user_id).toSorted()).toEqual(taken.toSorted())
  await until(
    async () => (await child.post('/checkin', { userId: 'later', lat: 24, lng: 120.6 }))?.status === 202,
    {
      what: 'room again',
    },
  )
})
