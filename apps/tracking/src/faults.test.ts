import { expect, setDefaultTimeout, test } from 'bun:test'
import { faultProxy } from '@palanquin/testing/fault-proxy'
import { auditPoints, NOTHING_WRONG } from '@palanquin/testing/faults/audit'
import { ledger } from '@palanquin/testing/faults/ledger'
import { testPostgres } from '@palanquin/testing/postgres'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { until } from '@palanquin/testing/until'
import postgres from 'postgres'
import { startChild } from '../test/child.ts'
import { checkin, faultHarness } from '../test/fault-harness.ts'
import { participants } from '../test/participants.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)
const harness = faultHarness()

test(
  'PostgreSQL killed in the middle of flushes, away, and back: everything is there once',
  async () => {
    const postgresServer = await testPostgres()
    harness.cleanUp.push(postgresServer.close)
    const own = {
      ...harness.given,
      sql: postgres(postgresServer.url, { max: 2, onnotice: () => {} }),
    }
    harness.cleanUp.push(() => own.sql.end({ timeout: 1 }))
    const service = await harness.start({ DATABASE_URL: postgresServer.url })
    const book = ledger()
    const load = participants({ count: 8, seed: 5, book, post: service.post })
    for (let round = 0; round < 4; round++) {
      const flush = service.post('/internal/flush')
      await Bun.sleep(5 + round * 25) // somewhere in the middle of it
      await postgresServer.kill9()
      await flush
      // What a probe found a moment ago is said again.
      await until(
        async () => {
          const health = await service.get('/internal/health')
          return Bun.deepMatch({ d1: 'error', kv: 'ok' }, health.body.data)
        },
        { what: 'PostgreSQL alone is found to be away' },
      )
      expect((await checkin(service, 'meanwhile', round)).status).toBe(202)
      expect((await service.post('/internal/flush')).status).toBe(503)
      await postgresServer.restart()
    }
    await load.stop()
    await until(async () => (await service.post('/internal/flush')).status === 200, { what: 'a whole flush' })
    const { acknowledged, indeterminate: _, phantom, ...found } = await auditPoints(own.sql, book)
    expect({ ...found, phantom: [] }).toEqual(NOTHING_WRONG)
    expect(phantom.every((key) => key.startsWith('meanwhile|'))).toBe(true)
    expect(phantom).toHaveLength(4)
    expect(acknowledged).toBeGreaterThan(100)
  },
  TEST_TIMEOUT_MS,
)

test('without PostgreSQL and Redis at the start check-ins are accepted, and everything follows when they come', async () => {
  await harness.given.redisServer.kill9()
  const proxy = await faultProxy(harness.given.database.url)
  harness.cleanUp.push(proxy.close)
  await proxy.set('refuse')
  const service = await harness.start({ DATABASE_URL: proxy.url }, { redisIsAway: true })
  expect((await checkin(service, 'early')).status).toBe(202)
  expect((await service.get('/ready')).status).toBe(503)
  expect((await service.get('/internal/health')).body.data).toMatchObject({
    d1: 'error',
    kv: 'error',
    bufferSize: 1,
  })
  await harness.given.redisServer.restart()
  await proxy.set('pass')
  expect(await harness.flushed(service)).toBe(1)
  await until(async () => (await service.get('/ready')).status === 200, { what: 'ready' })
  const health = async () => (await service.get('/internal/health')).body.data as Record<string, unknown>
  await until(
    async () => {
      const { d1, kv, bufferSize, lastFlush } = await health()
      return d1 === 'ok' && kv === 'ok' && bufferSize === 0 && typeof lastFlush === 'string'
    },
    { what: 'health as it was' },
  )
})

test(
  'two processes flush at once, and one whose lock was stolen continues: every point once, every figure right',
  async () => {
    const [one, other] = [
      await harness.start(),
      await harness.start({ JOURNAL_DIR: `${harness.given.folder}/other` }),
    ]
    const book = ledger()
    const load = participants({ count: 8, seed: 9, book, post: one.post })
    const more = participants({ count: 8, seed: 10, book, post: other.post })
    for (let round = 0; round < 12; round++) {
      await harness.given.redis.pExpire('flush:lock', 1)
      await Promise.all([
        until(() => one.flusher.flush(), { what: 'a whole flush' }),
        harness.given.redis
          .del('flush:lock')
          .then(() => until(() => other.flusher.flush(), { what: 'a whole flush' })),
      ])
    }
    await Promise.all([load.stop(), more.stop()])
    await harness.flushed(one)
    await harness.flushed(other)
    const { acknowledged, indeterminate: _, ...found } = await auditPoints(harness.given.sql, book)
    expect(found).toEqual(NOTHING_WRONG)
    expect(acknowledged).toBeGreaterThan(200)
  },
  TEST_TIMEOUT_MS,
)

test('Disk of the journal full: 503 with Retry-After, also for a sync, and every check-in that was answered 202 is there', async () => {
  // A file of the child may hold 16 blocks: the write that crosses them is cut short, as on a full disk.
  const child = await startChild(harness.given, {}, { limit: "trap '' XFSZ; ulimit -f 16" })
  await harness.given.redisServer.kill9() // what Redis has would be removed for it
  const statuses: (number | undefined)[] = []
  let apiError: Awaited<ReturnType<typeof child.post>> = null
  for (let i = 0; i < 60; i++) {
    const answer = await child.post('/checkin', {
      userId: `pilgrim-${i}`,
      lat: 24,
      lng: 120.6,
      note: 'x'.repeat(200),
    })
    statuses.push(answer?.status)
    if (answer?.status === 503) apiError = answer
  }
  const sync = { userId: 'sync', points: [{ lat: 24, lng: 120, recordedAt: Date.now() }] }
  const refused = await until(
    async () => {
      const answer = await child.post('/track/sync', sync)
      return answer?.status !== 200 && answer
    },
    { what: 'a sync finds no space' },
  )
  expect(refused).toMatchObject({ status: 503, retryAfter: expect.stringMatching(/^\d+$/) })
  const taken = statuses.flatMap((status, i) => (status === 202 ? [`pilgrim-${i}`] : []))
  expect(new Set(statuses)).toEqual(new Set([202, 503]))
  expect(apiError?.retryAfter).toMatch(/^\d+$/)
  await harness.given.redisServer.restart()
  await until(async () => (await child.post('/internal/flush'))?.status === 200, { what: 'a whole flush' })
  const rows = await harness.given.sql`SELECT user_id FROM tracking.points WHERE kind = 0`
  expect(rows.map(({ user_id }) => user_id).toSorted()).toEqual(taken.toSorted())
  await until(
    async () => (await child.post('/checkin', { userId: 'later', lat: 24, lng: 120.6 }))?.status === 202,
    {
      what: 'space again',
    },
  )
})
