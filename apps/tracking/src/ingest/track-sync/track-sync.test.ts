import { afterAll, beforeAll, beforeEach, expect, setDefaultTimeout, test } from 'bun:test'
import { shardOf } from '@palanquin/domain/ids'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { type Service, type Stores, stores, tracking, untilFlushed } from '../../../test/harness.ts'
import { recentKey, waitingKey } from '../../buffer/keys.ts'

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
const at = (recordedAt: unknown, more = {}) => ({ lat: 24.1, lng: 120.6, recordedAt, ...more })
const sync = (userId: string, points: unknown, more = {}) =>
  service.post('/track/sync', { userId, points, ...more })
const receiptOf = async (userId: string, points: unknown) => {
  const answer = await sync(userId, points)
  expect(answer.status).toBe(200)
  return answer.body.data
}

test('every point is judged separately, and an invalid one does not affect the others', async () => {
  const points = [
    at(nowMs),
    at(nowMs - 1_000, { speed: 120.1 }),
    at(nowMs - 2_000, { accuracy: 100.1 }),
    at(nowMs + 5 * 60_000),
    at(nowMs + 5 * 60_000 + 1),
    at(nowMs - 30 * DAY_MS),
    at(nowMs - 30 * DAY_MS - 1),
    at('yesterday'),
    { lat: 91, lng: 0, recordedAt: nowMs - 3_000 },
    null,
    'a point',
    at(nowMs - 4_000, { source: 'dashboard' }),
    at(nowMs),
  ]
  expect(await receiptOf('verdicts', points)).toEqual({
    received: 13,
    buffered: 5,
    duplicates: 1,
    filtered: 2,
    rejected: [
      { index: 4, reason: 'future' },
      { index: 6, reason: 'too_old' },
      { index: 7, reason: 'invalid' },
      { index: 8, reason: 'invalid' },
      { index: 9, reason: 'invalid' },
      { index: 10, reason: 'invalid' },
      { index: 11, reason: 'invalid' },
    ],
  })
  await untilFlushed(service)
  const stored = await given.sql`SELECT count(*)::int AS n FROM tracking.points WHERE user_id = 'verdicts'`
  expect(stored[0]?.n).toBe(5)
})

test('points of an iPhone with -1 for unknown values, and times in seconds, are accepted', async () => {
  const unknown = { accuracy: -1, speed: -1, heading: -1 }
  const points = [at(nowMs, unknown), at(Math.floor(nowMs / 1000) - 60, unknown), at(nowMs / 1000 - 120.5)]
  expect(await receiptOf('iphone', points)).toMatchObject({ buffered: 3, filtered: 0, rejected: [] })
})

test('a point with more than 16 keys is invalid and is not read; the others of its sync are', async () => {
  const more = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`x${i}`, i]))
  const points = [at(nowMs), at(nowMs - 1_000, more(13)), at(nowMs - 2_000, more(14)), at(nowMs - 3_000)]
  points.push(at(nowMs - 4_000, more(9_000)), at(nowMs - 5_000, { extra: { deep: more(12) } }))
  const receipt = {
    received: 6,
    buffered: 3,
    rejected: [2, 4, 5].map((index) => ({ index, reason: 'invalid' })),
  }
  expect(await receiptOf('many-keys', points)).toMatchObject(receipt)
})

test('a sync without points, with too many, or without a valid source or userId is a 400 and buffers nothing', async () => {
  const thousandAndOne = Array.from({ length: 1001 }, (_, i) => at(nowMs - i))
  for (const [body, field] of [
    [{ userId: 'refused', points: [] }, 'points'],
    [{ userId: 'refused', points: thousandAndOne }, 'points'],
    [{ userId: 'refused', points: 'all' }, 'points'],
    [{ userId: 'refused', points: [at(nowMs)], source: 'admin' }, 'source'],
    [{ userId: 'refused', points: [at(nowMs)], source: 'line' }, 'source'],
    [{ userId: 'no user', points: [at(nowMs)] }, 'userId'],
    [{ points: [at(nowMs)] }, 'userId'],
  ] as const) {
    const answer = await service.post('/track/sync', body)
    expect(answer.status).toBe(400)
    expect(answer.body.error).toStartWith(`${field}:`)
  }
  expect(await given.redis.exists(recentKey('refused'))).toBe(0)
})

test('a sync takes a thousand points and recognises repeats of all of them for a minute', async () => {
  const points = Array.from({ length: 1000 }, (_, i) => at(nowMs - i * 1000))
  expect(await receiptOf('thousand', points)).toMatchObject({ buffered: 1000, duplicates: 0 })
  expect(await receiptOf('thousand', points)).toMatchObject({ buffered: 0, duplicates: 1000 })
  const half = points.map((point, i) => (i % 2 ? point : at(nowMs - i * 1000 - 1)))
  expect(await receiptOf('thousand', half)).toMatchObject({ buffered: 500, duplicates: 500 })
})

test('a point sent again within 60 s is a duplicate; one of that time with another place, accuracy or speed is not', async () => {
  const first = [at(nowMs, { accuracy: 8 }), at(nowMs - 10)]
  expect(await receiptOf('minute', first)).toMatchObject({ buffered: 2 })
  const same = [at(nowMs, { accuracy: 8, altitude: 3, source: 'web', lat: 24.100_000_4 }), at(nowMs - 10)]
  expect(await receiptOf('minute', same)).toMatchObject({ buffered: 0, duplicates: 2 })
  const others = [
    at(nowMs, { accuracy: 8, lat: 24.100_001 }),
    at(nowMs, { accuracy: 7 }),
    at(nowMs),
    at(nowMs, { accuracy: 8, speed: 0 }),
    at(nowMs - 10, { lng: 121 }),
    at(nowMs - 5),
  ]
  expect(await receiptOf('minute', [...others, ...others])).toMatchObject({ buffered: 6, duplicates: 6 })
  expect(await receiptOf('minute', [...others, ...first])).toMatchObject({ buffered: 0, duplicates: 8 })
  expect(await receiptOf('other', others)).toMatchObject({ buffered: 6, duplicates: 0 })
})

test('sent again after the minute it is buffered again, and counts once', async () => {
  const points = [at(nowMs - 120_000), at(nowMs - 60_000, { lat: 24.101 })]
  await receiptOf('later', points)
  await untilFlushed(service)
  await expireRecent('later')
  expect(await receiptOf('later', points)).toMatchObject({ buffered: 2, duplicates: 0 })
  await untilFlushed(service)
  const [track] = await given.sql`SELECT points, needs_rebuild FROM tracking.tracks WHERE user_id = 'later'`
  expect(track).toEqual({ points: 2, needs_rebuild: false })
})

test('a sync of 60 s ago is forgotten, a younger one is not', async () => {
  await receiptOf('ages', [at(nowMs - 1_000)])
  const [old = ''] = await given.redis.lRange(recentKey('ages'), 0, -1)
  const [arrival = ''] = old.split('|')
  await given.redis.lSet(recentKey('ages'), 0, old.replace(arrival, String(Number(arrival) - 60_000)))
  await receiptOf('ages', [at(nowMs - 2_000)])
  expect(await given.redis.lLen(recentKey('ages'))).toBe(1)
  expect(await receiptOf('ages', [at(nowMs - 1_000), at(nowMs - 2_000)])).toMatchObject({
    buffered: 1,
    duplicates: 1,
  })
})

test('ten copies of one sync at once are buffered once', async () => {
  const points = Array.from({ length: 50 }, (_, i) => at(nowMs - i * 1000))
  const receipts = await Promise.all(Array.from({ length: 10 }, () => receiptOf('copies', points)))
  const buffered = receipts.map((receipt) => (receipt as { buffered: number }).buffered)
  expect(buffered.reduce((a, b) => a + b)).toBe(50)
})

/** What the minute does, without the wait. */
const expireRecent = (userId: string) => given.redis.del(recentKey(userId))

test('a participant who synced is listed as waiting until the flush, not after it', async () => {
  const isWaiting = async () =>
    Boolean(await given.redis.sIsMember(waitingKey(shardOf('first-sync')), 'first-sync'))
  await receiptOf('first-sync', [at(nowMs)])
  expect(await isWaiting()).toBe(true)
  await untilFlushed(service)
  expect(await isWaiting()).toBe(false)
})
