import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { USER_HEADER } from '@palanquin/service/http/headers'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { startTestService, type TestService } from '../../test/service.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

const NOW = Date.parse('2026-05-09T12:00:00.000Z')
const PLACE = {
  county: { zh: '苗栗縣', en: 'Miaoli County' },
  town: { zh: '通霄鎮', en: 'Tongxiao Township' },
}
let service: TestService
let known = true
beforeAll(async () => {
  service = await startTestService({
    now: () => NOW,
    readPosition: async () =>
      known
        ? {
            lat: 24.5663,
            lng: 120.7081,
            accuracyM: 8,
            recordedAt: '2026-05-09T11:59:18.000Z',
            battery: 61,
            place: PLACE,
          }
        : null,
  })
})
afterAll(() => service.close())

type Share = { token: string; url: string; expiresAt: string; createdAt: string; readers: number }
const as = (userId: string) => ({ headers: { [USER_HEADER]: userId } })
const open = async (userId: string, hours = 24): Promise<Share> => {
  const { status, body } = await service.call('/share', { body: { hours }, ...as(userId) })
  expect(status).toBe(201)
  return body.data as Share
}
const own = async (userId: string) => (await service.call('/share', as(userId))).body.data as Share | null
const hashOf = (text: string) => new Bun.CryptoHasher('sha256').update(text).digest('base64url').slice(0, 22)
const end = (userId: string) => service.call('/share', { method: 'DELETE', ...as(userId) })
const look = (token: string, reader = 'a-reader-of-the-tests') =>
  service.call(`/share/${token}?reader=${reader}`)

test('a link shows place, age and battery and nothing else, until it is taken back', async () => {
  await service.data('/user/sync', { body: { userId: 'pilgrim', displayName: '林媽媽' } })
  const { token, url, expiresAt } = await open('pilgrim')
  expect(token).toMatch(/^[A-Za-z0-9_-]{28}$/)
  expect(url).toBe(`/s/${token}`)
  const { status, body } = await look(token)
  expect(status).toBe(200)
  expect(body.data).toEqual({
    position: {
      lat: 24.5663,
      lng: 120.7081,
      accuracyM: 8,
      recordedAt: '2026-05-09T11:59:18.000Z',
      place: PLACE,
    },
    age: 42,
    battery: 61,
    expiresAt,
  })
  expect((await end('pilgrim')).body.data).toEqual({ ended: true })
  expect((await end('pilgrim')).body.data).toEqual({ ended: false })
  expect((await look(token)).status).toBe(410)
  expect(await own('pilgrim')).toBeNull()
})

test('one link is open at a time: it is the same until it ends, and another one after that', async () => {
  const first = await open('again', 1)
  const longer = await open('again', 48)
  expect(longer.token).toBe(first.token)
  expect(Date.parse(longer.expiresAt) - Date.parse(first.expiresAt)).toBeGreaterThan(46 * 3_600_000)
  await service.sql`UPDATE engagement.shares SET expires_at = now() - interval '1 second' WHERE token = ${first.token}`
  expect((await look(first.token)).status).toBe(410)
  expect(await own('again')).toBeNull()
  const next = await open('again')
  expect(next.token).not.toBe(first.token)
  expect((await look(first.token)).status).toBe(410)
  expect((await look(next.token)).status).toBe(200)
})

test('the newest twenty are counted; one more sends the longest idle one away, and nobody is refused', async () => {
  const { token } = await open('watched')
  const key = `share:{${hashOf(token)}}`
  const idle = async (reader: string, agoMs: number) =>
    service.redis.zAdd(key, { score: Date.now() - agoMs, value: hashOf(reader) })
  const readers = Array.from({ length: 20 }, (_, at) => `reader-number-${at}`)
  for (const reader of readers) expect((await look(token, reader)).status).toBe(200)
  await idle('reader-number-7', 30_000)
  expect((await own('watched'))?.readers).toBe(20)
  expect((await look(token, 'grandmother-comes')).status).toBe(200)
  expect((await own('watched'))?.readers).toBe(20)
  const present = await service.redis.zRange(key, 0, -1)
  expect(present).toContain(hashOf('grandmother-comes'))
  expect(present).not.toContain(hashOf('reader-number-7'))
  expect((await look(token, 'reader-number-7')).status).toBe(200)
  expect((await own('watched'))?.readers).toBe(20)
})

test('before the first point there is no position; while the person has withdrawn the link is at rest', async () => {
  const { token } = await open('early')
  known = false
  expect((await look(token)).body.data).toMatchObject({ position: null, age: null, battery: null })
  known = true
  await service.data('/participant-status', { body: { userId: 'early', status: 'withdrawn' } })
  expect((await look(token)).status).toBe(410)
  await service.data('/participant-status', { body: { userId: 'early', status: 'active' } })
  expect((await look(token)).status).toBe(200)
})

test('consent taken back ends the link for good, by whichever way it is taken back', async () => {
  const answers = { q1: [], q2: [], q3: 'bus', q4: [], q5: 0, q6: '素食', q7: 0, q8: 0, q9: 0 }
  const ways = [
    ['by-privacy', '/privacy', {}],
    ['by-survey', '/submit', { answers }],
  ] as const
  for (const [userId, path, body] of ways) {
    await service.data('/privacy', { body: { userId, consent: true } })
    const { token } = await open(userId)
    await service.data(path, { body: { ...body, userId, consent: true } })
    expect((await look(token)).status).toBe(200)
    await service.data(path, { body: { ...body, userId, consent: false } })
    expect((await look(token)).status).toBe(410)
    await service.data('/privacy', { body: { userId, consent: true } })
    expect((await look(token)).status).toBe(410)
    expect(await own(userId)).toBeNull()
  }
})

test('an erasure takes the link with it', async () => {
  const { token } = await open('leaver')
  expect((await service.call('/user/leaver', { method: 'DELETE', tier: 3 })).status).toBeLessThan(500)
  expect((await look(token)).status).toBe(404)
})

test('its owner alone opens, sees and ends it, and invalid hours are 400', async () => {
  const { token } = await open('mine')
  for (const method of ['GET', 'DELETE']) expect((await service.call('/share', { method })).status).toBe(401)
  expect((await service.call('/share', { body: { hours: 1 } })).status).toBe(401)
  expect((await end('another')).body.data).toEqual({ ended: false })
  expect((await look(token)).status).toBe(200)
  for (const hours of [0, 217, 1.5, 'a'])
    expect((await service.call('/share', { body: { hours }, ...as('mine') })).status).toBe(400)
  expect((await look('unknown')).status).toBe(404)
})
