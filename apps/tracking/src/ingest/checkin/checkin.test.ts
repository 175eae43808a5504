import { afterAll, beforeAll, beforeEach, expect, setDefaultTimeout, test } from 'bun:test'
import { shardOf } from '@palanquin/domain/ids'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { until } from '@palanquin/testing/until'
import { type Service, type Stores, stores, tracking, untilFlushed } from '../../../test/harness.ts'
import { countKey, duplicateKey, pendingKey } from '../../buffer/keys.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

let given: Stores
let service: Service
let nowMs = 0
beforeAll(async () => {
  given = await stores()
  service = await tracking(given, { now: () => nowMs })
})
beforeEach(() => {
  nowMs = Date.now()
})
afterAll(async () => {
  await service.close()
  await given.close()
})

const DAY_MS = 86_400_000
const checkin = (userId: string, more = {}) =>
  service.post('/checkin', { userId, lat: 24.1, lng: 120.6, ...more })
const taken = () => until(() => service.journal.stats().waiting === 0, { what: 'Redis has every check-in' })
const buffered = (userId: string) => given.redis.lLen(pendingKey(userId))

test('a check-in is answered 202 and is in PostgreSQL, counted, after a flush', async () => {
  const answer = await checkin('pilgrim', { note: 'here' })
  expect(answer.status).toBe(202)
  expect(answer.body.data).toEqual({
    id: expect.any(String),
    receivedAt: new Date(nowMs).toISOString(),
  })
  const flushed = await service.post('/internal/flush')
  expect(flushed.body.data).toMatchObject({ flushed: 1 })
  const rows = await given.sql`SELECT user_id, kind, lat, lng, source, note FROM tracking.points`
  expect([...rows]).toEqual([
    { user_id: 'pilgrim', kind: 0, lat: 24.1, lng: 120.6, source: 'checkin', note: 'here' },
  ])
  const [track] = await given.sql`SELECT points, checkins, walked_km, needs_rebuild FROM tracking.tracks`
  expect(track).toEqual({ points: 1, checkins: 1, walked_km: 0, needs_rebuild: false })
  expect(await buffered('pilgrim')).toBe(0)
  expect(await given.redis.get(countKey(shardOf('pilgrim')))).toBe('0')
})

test('an invalid check-in is a 400 that names the field, and is not stored', async () => {
  const before = service.journal.stats().bytes
  for (const [more, field] of [
    [{ lat: 90.1 }, 'lat'],
    [{ lng: '120' }, 'lng'],
    [{ lat: undefined }, 'lat'],
    [{ source: 'admin' }, 'source'],
    [{ source: 'dashboard' }, 'source'],
    [{ source: 'line' }, 'source'],
    [{ recordedAt: 'noon' }, 'recordedAt'],
    [{ recordedAt: nowMs + 5 * 60_000 + 1 }, 'recordedAt'],
    [{ recordedAt: nowMs - 30 * DAY_MS - 1 }, 'recordedAt'],
    [{ accuracy: 'good' }, 'accuracy'],
    [{ note: 'x'.repeat(201) }, 'note'],
    [{ userId: 'no user' }, 'userId'],
  ] as const) {
    const answer = await checkin('refused', more)
    expect(answer.status).toBe(400)
    expect(answer.body.error).toStartWith(`${field}:`)
  }
  expect(service.journal.stats().bytes).toBe(before)
})

test('the unknown values of an iPhone, and a time in seconds, are accepted', async () => {
  const seconds = nowMs / 1000
  const unknown = { accuracy: -1, speed: -1, heading: -1, altitude: 20 }
  expect((await checkin('iphone', { ...unknown, recordedAt: seconds })).status).toBe(202)
  await taken()
  await untilFlushed(service)
  const rows = await given.sql`
    SELECT recorded_at, accuracy, speed, heading, altitude FROM tracking.points WHERE user_id = 'iphone'`
  expect([...rows]).toEqual([
    { recorded_at: new Date(nowMs), accuracy: null, speed: null, heading: null, altitude: 20 },
  ])
})

test('a clock five minutes ahead and a phone offline for 30 days are accepted', async () => {
  expect((await checkin('drift', { recordedAt: nowMs + 5 * 60_000 })).status).toBe(202)
  expect((await checkin('drift', { recordedAt: nowMs - 30 * DAY_MS, lat: 24.2 })).status).toBe(202)
  await taken()
  await untilFlushed(service)
  const rows = await given.sql`SELECT 1 FROM tracking.points WHERE user_id = 'drift'`
  expect(rows).toHaveLength(2)
})

test('a location message of the chat is a check-in on the internal path only', async () => {
  const body = { userId: 'chat', lat: 24.1, lng: 120.6, source: 'line' }
  expect((await service.post('/internal/checkin', body)).status).toBe(202)
  expect((await service.post('/checkin', body)).status).toBe(400)
})

test('fifty equal check-ins at once count once, and each is answered 202', async () => {
  const answers = await Promise.all(Array.from({ length: 50 }, () => checkin('crowd')))
  expect(answers.map(({ status }) => status)).toEqual(Array(50).fill(202))
  await taken()
  expect(await buffered('crowd')).toBe(1)
})

test('five check-ins at five places at once count five, though they name no time', async () => {
  await Promise.all([0, 1, 2, 3, 4].map((i) => checkin('places', { lat: 24 + i / 100 })))
  await taken()
  await untilFlushed(service)
  const [track] = await given.sql`SELECT checkins FROM tracking.tracks WHERE user_id = 'places'`
  expect(track).toEqual({ checkins: 5 })
})

test('a repeat is the same place to 5 decimals, within 60 s, by one participant', async () => {
  await checkin('place', { lat: 24.100001 })
  await checkin('place', { lat: 24.100004 })
  await taken()
  expect(await buffered('place')).toBe(1)
  await checkin('place', { lat: 24.10001 })
  await checkin('other', { lat: 24.100001 })
  await taken()
  expect(await buffered('place')).toBe(2)
  expect(await buffered('other')).toBe(1)
  const key = duplicateKey('place', 24.1, 120.6)
  expect(await given.redis.ttl(key)).toBeWithin(50, 61)
  await given.redis.del(key) // what the minute does
  await checkin('place', { lat: 24.1, recordedAt: nowMs + 1 })
  await taken()
  expect(await buffered('place')).toBe(3)
})

test('a negative zero latitude is the equator', async () => {
  await checkin('equator', { lat: 0.000001, lng: -0.000001 })
  await checkin('equator', { lat: -0.000001, lng: 0 })
  await taken()
  expect(await buffered('equator')).toBe(1)
})
