import { afterEach, beforeEach, expect, setDefaultTimeout, test } from 'bun:test'
import { etagOf } from '@palanquin/service/http/etag'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { startTestService, type TestService } from '../../test/service.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

const STARTS_AT = '2026-05-01T15:50:00.000Z'
let nowMs = 0
let line = true
let service: TestService
beforeEach(async () => {
  nowMs = Date.parse('2026-04-30T00:00:00.000Z')
  line = true
  service = await startTestService({
    event: { startsAtMs: Date.parse(STARTS_AT) },
    hasLine: async () => line,
    now: () => nowMs,
  })
})
afterEach(() => service.close())

const read = async () => (await service.data('/activity')) as Record<string, unknown>
const put = (status: string, message?: unknown) =>
  service.call('/admin/status', {
    method: 'PUT',
    body: { status, ...(message === undefined ? {} : { message }) },
    tier: 2,
  })

test('the public activity has name, dates, place and features', async () => {
  expect(await read()).toEqual({
    status: 'upcoming',
    since: expect.stringMatching(/Z$/),
    message: null,
    name: { zh: '測試進香', en: 'Test Pilgrimage' },
    dates: null,
    startsAt: STARTS_AT,
    endsAt: null,
    timezone: 'Asia/Taipei',
    bounds: { west: 120, south: 23, east: 121, north: 25 },
    features: { line: true, auth: false, survey: true, photos: true },
    consentVersion: '1',
  })
})

test('it is upcoming until it starts, then active; paused and ended are shown at any time', async () => {
  await service.sql`UPDATE engagement.activity SET since = '2026-04-01T00:00:00.000Z'`
  await service.projection.project()
  expect(await read()).toMatchObject({ status: 'upcoming', since: '2026-04-01T00:00:00.000Z' })
  nowMs = Date.parse(STARTS_AT)
  expect(await read()).toMatchObject({ status: 'active', since: STARTS_AT })
  nowMs = 0
  await put('paused')
  expect(await read()).toMatchObject({ status: 'paused' })
  await service.call('/admin/end-activity', { body: {}, tier: 3 })
  expect(await read()).toMatchObject({ status: 'ended', features: { survey: false } })
})

test('a message is shown during a pause, may be changed, and goes with the pause', async () => {
  const notified = async () => (await service.outbox()).length
  await put('paused', { zh: '休息', en: 'Resting' })
  expect(await read()).toMatchObject({ status: 'paused', message: { zh: '休息', en: 'Resting' } })
  expect(await notified()).toBe(1)
  await put('paused', '大雨 · heavy rain')
  expect(await read()).toMatchObject({ message: { zh: '大雨 · heavy rain', en: '大雨 · heavy rain' } })
  await put('paused')
  expect(await read()).toMatchObject({ message: { zh: '大雨 · heavy rain' } })
  await put('paused', null)
  expect(await read()).toMatchObject({ status: 'paused', message: null })
  expect(await notified()).toBe(1)
  await put('paused', 'again')
  await put('active', 'not shown')
  expect(await read()).toMatchObject({ message: null })
  await put('paused')
  expect(await read()).toMatchObject({ status: 'paused', message: null })
})

test('an invalid message is 400 and names the field', async () => {
  for (const message of ['', 7, [], { zh: '休息' }, { zh: '休息', en: '' }, 'x'.repeat(501)]) {
    const { status, body } = await put('paused', message)
    expect([message, status, String(body.error).startsWith('message')]).toEqual([message, 400, true])
  }
  expect(await read()).toMatchObject({ status: 'upcoming' })
})

test('it is cacheable for five seconds and has a strong ETag', async () => {
  const response = await service.respond('/activity')
  expect(response.headers.get('cache-control')).toBe('public, max-age=5')
  const text = await response.text()
  expect(response.headers.get('etag')).toBe(etagOf(text))
  expect(await (await service.respond('/activity')).text()).toBe(text)
})

test('while the stores are away the last known activity is shown', async () => {
  await put('paused', 'rain')
  const before = await read()
  await service.redisServer?.close()
  await service.db.close()
  await service.projection.project()
  expect(await read()).toEqual(before)
})

test('a process that never reached a store responds 503', async () => {
  const away = await startTestService({
    databaseUrl: 'postgres://unknown@127.0.0.1:9/none',
    redisUrl: service.redisServer?.url ?? '',
    deadlineMs: 300,
  })
  await service.redis.del('activity')
  expect((await away.call('/activity')).status).toBe(503)
  // The key in Redis is as good.
  await put('paused', 'rain')
  expect((await away.call('/activity')).body.data).toMatchObject({
    status: 'paused',
    message: { en: 'rain' },
  })
  await away.close()
})
