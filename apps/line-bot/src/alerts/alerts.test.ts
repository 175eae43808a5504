import { afterAll, beforeAll, beforeEach, expect, setDefaultTimeout, test } from 'bun:test'
import { connectDatabase, type Database } from '@palanquin/db/client'
import { type LineStub, testLine } from '@palanquin/line-simulator/stub'
import { createLog } from '@palanquin/service/log'
import { createMetrics } from '@palanquin/service/metrics'
import { connectRedis, type Redis } from '@palanquin/service/redis'
import { testPostgres } from '@palanquin/testing/postgres'
import { testRedis } from '@palanquin/testing/redis'
import type { TestServer } from '@palanquin/testing/server'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { until } from '@palanquin/testing/until'
import { createLineClient } from '../line-client/client.ts'
import { createAlerts, OWNERS_EVERY_MS } from './alerts.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)
const log = createLog({ service: 'alerts-test', level: 'silent' })
const T0 = Date.parse('2026-05-01T15:00:00.000Z')

let postgres: TestServer
let redisServer: TestServer
let db: Database
let redis: Redis
let stub: LineStub
let owner = ''
/** The other services' own health reports, and the alert webhook. */
const healthy = { d1: 'ok', kv: 'ok', r2: 'ok', activity: 'active', lastFlush: '' }
let health = { ...healthy }
let nowMs = T0
const webhookStatus = 200
const webhookBodies: unknown[] = []
const world = Bun.serve({
  port: 0,
  fetch: async (request) => {
    if (request.method === 'GET') return Response.json({ ok: true, data: { ...health } })
    if (webhookStatus === 200) webhookBodies.push(await request.json())
    return new Response('', { status: webhookStatus })
  },
})
const url = `http://127.0.0.1:${world.port}`

const copy = () =>
  createAlerts({
    settings: {
      INTERNAL_TOKEN: 'token',
      TRACKING_URL: url,
      ENGAGEMENT_URL: url,
      MEDIA_URL: url,
      ALERT_WEBHOOK_URL: `${url}/hook`,
      EVENT_NAME_ZH: '白沙屯媽祖進香',
      EVENT_NAME_EN: 'Baishatun Mazu Pilgrimage',
      EVENT_TIMEZONE: 'Asia/Taipei',
    },
    db,
    redis,
    log,
    metrics: createMetrics('alerts-test'),
    now: () => nowMs,
    confirmMs: 5,
    deadlineMs: TEST_TIMEOUT_MS,
    client: createLineClient({
      apiBase: stub.apiBase,
      dataApiBase: stub.dataApiBase,
      accessToken: stub.channelAccessToken,
    }),
  })

beforeAll(async () => {
  ;[postgres, redisServer] = await Promise.all([testPostgres(), testRedis()])
  db = connectDatabase({ url: postgres.url, name: 'alerts-test', log, deadlineMs: TEST_TIMEOUT_MS })
  redis = connectRedis({ url: redisServer.url, name: 'alerts-test', log })
  await until(() => redis.isReady, { what: 'Redis' })
  stub = testLine()
  owner = stub.control.people.add().userId
  await db.query("INSERT INTO engagement.roles (user_id, role, given_by) VALUES ($1, 'owner', 'owner')", [
    owner,
  ])
})
afterAll(async () => {
  redis.destroy()
  await Promise.all([stub.close(), db.close(), world.stop(true)])
  await Promise.all([postgres.close(), redisServer.close()])
})
let tests = 0
beforeEach(() => {
  // A day each: an alert of another time is another alert.
  nowMs = T0 + tests++ * 86_400_000
  health = { ...healthy, lastFlush: new Date(nowMs).toISOString() }
  stub.control.deliveries.clear()
  webhookBodies.length = 0
})

const received = () =>
  stub.control.deliveries.received(owner).map(({ message }) => ('text' in message ? message.text : ''))
const later = (minutes: number) => {
  nowMs += minutes * 60_000
  if (health.lastFlush !== '') health.lastFlush = new Date(nowMs).toISOString()
}

test('several copies and a restart alert on one incident once, by LINE and by webhook, and once on its end', async () => {
  const copies = [copy(), copy(), copy()]
  await Promise.all(copies.map(({ look }) => look()))
  expect(received()).toEqual([])
  health.d1 = 'error'
  await Promise.all(copies.map(({ look }) => look()))
  await copy().look()
  expect(received()).toEqual([
    expect.stringContaining('🚨【系統警報】白沙屯媽祖進香（自 2026-05-01 23:00 起）\n• 關聯式資料庫異常'),
  ])
  expect(webhookBodies).toEqual([
    {
      kind: 'trouble',
      problems: ['d1'],
      since: '2026-05-01T15:00:00.000Z',
      at: '2026-05-01T15:00:00.000Z',
      text: expect.stringContaining('the relational store is in error'),
    },
  ])
  later(9)
  await copies[1]?.look()
  expect(received()).toHaveLength(1)
  later(1)
  await copy().look()
  expect(received()).toHaveLength(2)
  health.d1 = 'ok'
  await Promise.all(copies.map(({ look }) => look()))
  expect(received().slice(2)).toEqual([expect.stringContaining('一切正常，歷時 10 分鐘')])
  expect(webhookBodies).toHaveLength(3)
})

test('a flap between two checks raises no alert', async () => {
  const { look } = copy()
  let asked = 0
  Object.defineProperty(health, 'r2', { get: () => (asked++ < 3 ? 'error' : 'ok'), enumerable: true })
  await look()
  expect(asked).toBeGreaterThan(3)
  expect(received()).toEqual([])
})

test('an overdue flush raises an alert while the activity runs, and not while it is paused', async () => {
  const { look } = copy()
  health.lastFlush = new Date(nowMs - 31 * 60_000).toISOString()
  health.activity = 'paused'
  await look()
  expect(received()).toEqual([])
  health.activity = 'active'
  await look()
  expect(received()).toEqual([expect.stringContaining('超過 30 分鐘沒有寫入資料庫')])
  health.lastFlush = new Date(nowMs).toISOString()
  await look()
  expect(received()).toHaveLength(2)
})

test('with PostgreSQL gone the owners are still alerted once, also by a copy that has just started', async () => {
  const { look } = copy()
  await look()
  await postgres.kill9()
  health.d1 = 'error'
  await look()
  await copy().look()
  expect(received()).toEqual([expect.stringContaining('關聯式資料庫異常')])
  await postgres.restart()
  health.d1 = 'ok'
  await until(() => db.ping().then(() => true), { what: 'PostgreSQL' })
  // A connection of before the restart may still fail a statement.
  const isOver = async () => {
    await look()
    const [row] = await db.query("SELECT state -> 'incident' AS incident FROM line.alerts")
    return row?.incident === null
  }
  await until(isOver, { what: 'the end of the incident in PostgreSQL' })
  expect(received()).toHaveLength(2)
})

test('an owner who was appointed ten seconds before PostgreSQL died is alerted', async () => {
  const bot = copy()
  await bot.look()
  const { userId } = stub.control.people.add()
  await db.query("INSERT INTO engagement.roles (user_id, role, given_by) VALUES ($1, 'owner', 'owner')", [
    userId,
  ])
  // What the schedule does within ten seconds.
  expect(bot.jobs.map(({ everyMs }) => everyMs)).toEqual([OWNERS_EVERY_MS])
  expect(OWNERS_EVERY_MS).toBeLessThanOrEqual(9_000)
  for (const { run } of bot.jobs) await run()
  await postgres.kill9()
  health.d1 = 'error'
  const alerted = () => stub.control.deliveries.received(userId)
  await until(() => bot.look().then(() => alerted().length > 0), { what: 'the alert' })
  expect(alerted()).toHaveLength(1)
  await postgres.restart()
  await until(() => db.ping().then(() => true), { what: 'PostgreSQL' })
  await db.query('DELETE FROM engagement.roles WHERE user_id = $1', [userId])
  health.d1 = 'ok'
  await bot.look()
})

test('an alert that LINE did not take is sent later, once; one that the webhook took is not sent again', async () => {
  const { look } = copy()
  stub.control.faults.order({ kind: 'error-after', at: 'multicast' })
  health.r2 = 'error'
  await look()
  await look()
  expect(stub.control.calls().filter(({ status }) => status === 409)).toHaveLength(0)
  later(1)
  await look()
  await look()
  expect(stub.control.calls().filter(({ status }) => status === 409)).toHaveLength(1)
  expect([received().length, webhookBodies.length]).toEqual([1, 1])
  health.r2 = 'ok'
  await look()
})
