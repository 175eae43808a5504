import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { type FaultProxy, faultProxy } from '@palanquin/testing/fault-proxy'
import { testDatabase } from '@palanquin/testing/postgres'
import { testRedis } from '@palanquin/testing/redis'
import { redisProxy } from '@palanquin/testing/redis-proxy'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { until } from '@palanquin/testing/until'
import { bufferOf } from '../test/buffer.ts'
import { type Answer, startTestService, type TestService } from '../test/service.ts'
import { ANSWERS } from '../test/survey.ts'
import { storeCheckins } from '../test/track.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

/** Only a stall waits for it. */
const DEADLINE_MS = 5_000
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
    hasRedisDeadlines: true,
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

/** While Redis is late, a profile has no buffered check-ins, or is 503 without PostgreSQL. */
const profileHas = (userId: string, fields: object) =>
  until(async () => Bun.deepMatch(fields, (await service.call(`/user/${userId}`)).body.data ?? {}), {
    what: `the profile has ${JSON.stringify(fields)}`,
  })

/** Repeats a write with other participants until one is stored whose reply was lost. */
function withoutReply(
  name: string,
  {
    write,
    isStored,
  }: { write: (userId: string) => Promise<Answer>; isStored: (userId: string) => Promise<boolean> },
) {
  let tries = 0
  const attempt = async () => {
    const userId = `${name}-${tries++}`
    await allWell()
    await write(`before-${userId}`)
    await storeCheckins(service, userId, 3)
    const dropped = postgres.dropped()
    await postgres.set('drop-reply')
    const { status } = await write(userId)
    const wasDropped = postgres.dropped() > dropped
    await allWell()
    return status === 503 && wasDropped && (await isStored(userId)) && userId
  }
  return until(attempt, { what: 'a stored write without its reply' })
}

for (const fault of ['refuse', 'stall', 'reset'] as const) {
  test(`Redis away (${fault}): the database answers, with the check-ins that were last seen; writes go on, health says so`, async () => {
    await allWell()
    const userId = `redis-${fault}`
    const unregistered = `${userId}-unregistered`
    await service.data('/user/sync', { body: { userId, displayName: 'A' } })
    for (const who of [userId, unregistered]) {
      await bufferOf(service, who).checkin()
      await profileHas(who, { checkins: 1 })
    }
    await redis.set(fault)
    const profile = await service.data('/user/phone', { body: { userId, phone: '0912345678' } })
    expect(profile).toMatchObject({ phone: '+886•••••678' })
    expect(await service.data(`/user/${userId}`)).toMatchObject({ displayName: 'A', hasPhone: true })
    const counted = { checkins: 1, level: { level: 1 } }
    expect(await service.data(`/user/${userId}`)).toMatchObject(counted)
    expect(await service.data(`/user/${unregistered}`)).toMatchObject(counted)
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
    await profileHas(userId, { checkins: 2 })
    await until(
      async () => (await service.data(`/user/${userId}`)) && (await service.cache.read(userId))?.fresh,
      { what: 'a cached profile' },
    )
    await postgres.set(fault)
    await buffer.checkin()
    await profileHas(userId, { displayName: 'A', checkins: 3 })

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
    await profileHas(userId, { checkins: 3 })
  })
}

test('a write whose reply was lost is stored, and its retry adds nothing and reports success', async () => {
  const write = (userId: string) =>
    service.call('/privacy', { body: { userId, consent: true, version: '1' } })
  const stored = (userId: string) =>
    service.db.query<{ history: number; events: number }>(
      `SELECT (SELECT count(*) FROM engagement.consent_history WHERE user_id = $1) AS history,
              (SELECT count(*) FROM engagement.outbox WHERE data->>'userId' = $1) AS events`,
      [userId],
    )
  const isStored = async (userId: string) => (await stored(userId)).some(({ history }) => history > 0)
  const userId = await withoutReply('lost-reply', { write, isStored })
  expect(await stored(userId)).toEqual([{ history: 1, events: 1 }])
  const retry = await write(userId)
  expect(retry.status).toBe(200)
  expect(retry.body.data).toMatchObject({ consent: true, version: '1' })
  expect(await stored(userId)).toEqual([{ history: 1, events: 1 }])
  expect(await service.data(`/user/${userId}`)).toMatchObject({ privacyConsent: true })
})

test('a survey whose reply was lost is stored once, and its retry unlocks the achievement once', async () => {
  const write = (userId: string) =>
    service.call('/submit', { body: { userId, answers: ANSWERS, phone: '0912345678', consent: true } })
  const stored = (userId: string) =>
    service.db.query<{ surveys: number; consents: number; events: string[] }>(
      `SELECT (SELECT count(*) FROM engagement.survey_history WHERE user_id = $1) AS surveys,
              (SELECT count(*) FROM engagement.consent_history WHERE user_id = $1) AS consents,
              (SELECT array_agg(type ORDER BY seq) FROM engagement.outbox WHERE data->>'userId' = $1) AS events`,
      [userId],
    )
  const isStored = async (userId: string) => (await stored(userId)).some(({ surveys }) => surveys > 0)
  const userId = await withoutReply('lost-survey', { write, isStored })
  expect(await stored(userId)).toEqual([{ surveys: 1, consents: 1, events: ['participant.changed'] }])
  for (let again = 0; again < 2; again++) {
    const retry = await write(userId)
    expect([retry.status, retry.body.data]).toMatchObject([200, { achievement: { unlocked: true } }])
    expect(await stored(userId)).toEqual([
      { surveys: 1, consents: 1, events: ['participant.changed', 'achievement.unlocked'] },
    ])
  }
})
