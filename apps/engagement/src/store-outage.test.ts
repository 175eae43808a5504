import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { type FaultProxy, faultProxy } from '@palanquin/testing/fault-proxy'
import { testDatabase } from '@palanquin/testing/postgres'
import { testRedis } from '@palanquin/testing/redis'
import { redisProxy } from '@palanquin/testing/redis-proxy'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { until } from '@palanquin/testing/until'
import { bufferOf } from '../test/buffer.ts'
import { startTestService, type TestService } from '../test/service.ts'
import { ANSWERS } from '../test/survey.ts'
import { storeCheckins } from '../test/track.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

const DEADLINE_MS = 1_000
let postgres: FaultProxy
let redis: FaultProxy
let service: TestService
const opened: { close: () => Promise<void> }[] = []
beforeAll(async () => {
  const database = await testDatabase()
  const server = await testRedis()
  postgres = await faultProxy(database.url)
  redis = await redisProxy(server.url)
  service = await startTestService({
    databaseUrl: postgres.url,
    redisUrl: redis.url,
    deadlineMs: DEADLINE_MS,
  })
  opened.push(service, postgres, redis, database, server)
})
afterAll(async () => {
  await Promise.all([postgres.set('pass'), redis.set('pass')])
  for (const one of opened) await one.close()
})

/** Readiness and health probe the stores at most every 200 ms. */
const readyAnswers = (status: number) =>
  until(async () => (await service.call('/ready')).status === status, { what: `/ready answers ${status}` })
const healthSays = (health: object) =>
  until(async () => Bun.deepMatch(health, (await service.call('/internal/health')).body), {
    what: `health says ${JSON.stringify(health)}`,
  })

/** Both stores well and known to be. */
async function allWell() {
  await Promise.all([postgres.set('pass'), redis.set('pass')])
  await until(() => Promise.all([service.redis.ping(), service.db.ping()]), { what: 'both stores again' })
  await readyAnswers(200)
}

for (const fault of ['refuse', 'stall', 'reset'] as const) {
  test(`Redis away (${fault}): the database answers, writes go on, health says so`, async () => {
    await allWell()
    const userId = `redis-${fault}`
    await service.data('/user/sync', { body: { userId, displayName: 'A' } })
    await redis.set(fault)
    const profile = await service.data('/user/phone', { body: { userId, phone: '0912345678' } })
    expect(profile).toMatchObject({ phone: '+886•••••678' })
    expect(await service.data(`/user/${userId}`)).toMatchObject({ displayName: 'A', hasPhone: true })
    await readyAnswers(503)
    await healthSays({ d1: 'ok', kv: 'error' })
  })

  test(`PostgreSQL away (${fault}): the cached snapshot with present check-ins, else 503`, async () => {
    await allWell()
    const userId = `postgres-${fault}`
    const buffer = bufferOf(service, userId)
    await service.data('/user/sync', { body: { userId, displayName: 'A' } })
    await buffer.checkin()
    await buffer.flush(1)
    await buffer.checkin()
    expect(await service.data(`/user/${userId}`)).toMatchObject({ checkins: 2 })
    await postgres.set(fault)
    await buffer.checkin()
    expect(await service.data(`/user/${userId}`)).toMatchObject({ displayName: 'A', checkins: 3 })

    const writes = ['/user/sync', '/user/phone', '/privacy', '/participant-status', '/submit'] as const
    const fields = { phone: null, consent: true, status: 'active', answers: ANSWERS }
    const refused = await Promise.all([
      service.call(`/user/uncached-${fault}`),
      service.call('/admin/status', { tier: 1 }),
      ...['/feedback', '/feedback/status', '/admin/roles'].map((path) => service.call(path, { tier: 2 })),
      service.call('/feedback', { body: { category: 'bug', message: 'm' } }),
      service.call('/admin/roles', { body: { userId: 'U1', role: 'volunteer' }, tier: 2 }),
      ...writes.map((path) => service.call(path, { body: { userId: `unwritten-${fault}`, ...fields } })),
    ])
    for (const { status, headers, body } of refused) {
      expect(status).toBe(503)
      expect(headers.get('retry-after')).toBe('5')
      expect(body.error).toBeString()
    }
    await readyAnswers(503)
    await healthSays({ d1: 'error', kv: 'ok' })
    await allWell()
    expect(await service.data(`/user/${userId}`)).toMatchObject({ checkins: 3 })
  })
}

test('a write whose reply was lost is stored, and its retry adds nothing and reports success', async () => {
  await allWell()
  const write = () =>
    service.call('/privacy', { body: { userId: 'lost-reply', consent: true, version: '1' } })
  const stored = () =>
    service.db.query<{ history: number; events: number }>(`
      SELECT (SELECT count(*) FROM engagement.consent_history WHERE user_id = 'lost-reply') AS history,
             (SELECT count(*) FROM engagement.outbox WHERE data->>'userId' = 'lost-reply') AS events`)
  // The statement is known to the connection, so that what is sent next is executed at once.
  await service.data('/privacy', { body: { userId: 'before', consent: true } })
  await postgres.set('drop-reply')
  expect((await write()).status).toBe(503)
  expect(postgres.dropped()).toBeGreaterThan(0)
  await allWell()
  expect(await stored()).toEqual([{ history: 1, events: 1 }])
  const retry = await write()
  expect(retry.status).toBe(200)
  expect(retry.body.data).toMatchObject({ consent: true, version: '1' })
  expect(await stored()).toEqual([{ history: 1, events: 1 }])
  expect(await service.data('/user/lost-reply')).toMatchObject({ privacyConsent: true })
})

test('a survey whose reply was lost is stored once, and its retry unlocks the achievement once', async () => {
  await allWell()
  const submit = (userId: string) =>
    service.call('/submit', { body: { userId, answers: ANSWERS, phone: '0912345678', consent: true } })
  const stored = () =>
    service.db.query<{ surveys: number; consents: number; events: string[] }>(`
      SELECT (SELECT count(*) FROM engagement.survey_history WHERE user_id = 'lost-survey') AS surveys,
             (SELECT count(*) FROM engagement.consent_history WHERE user_id = 'lost-survey') AS consents,
             (SELECT array_agg(type ORDER BY seq) FROM engagement.outbox WHERE data->>'userId' = 'lost-survey') AS events`)
  await storeCheckins(service, 'lost-survey', 3)
  await submit('before')
  const dropped = postgres.dropped()
  await postgres.set('drop-reply')
  expect((await submit('lost-survey')).status).toBe(503)
  expect(postgres.dropped()).toBeGreaterThan(dropped)
  await allWell()
  expect(await stored()).toEqual([{ surveys: 1, consents: 1, events: ['participant.changed'] }])
  for (let again = 0; again < 2; again++) {
    const retry = await submit('lost-survey')
    expect([retry.status, retry.body.data]).toMatchObject([200, { achievement: { unlocked: true } }])
    expect(await stored()).toEqual([
      { surveys: 1, consents: 1, events: ['participant.changed', 'achievement.unlocked'] },
    ])
  }
})
