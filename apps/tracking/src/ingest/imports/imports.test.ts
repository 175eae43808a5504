import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { type Service, type Stores, stores, tracking, untilFlushed } from '../../../test/harness.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

const DAY_MS = 86_400_000
const start = Date.now() - 3_600_000
let given: Stores
let service: Service
beforeAll(async () => {
  given = await stores()
  service = await tracking(given)
})
afterAll(async () => {
  await service.close()
  await given.close()
})

const walk = (length: number, more = {}) =>
  Array.from({ length }, (_, at) => ({
    lat: 24.1 + at / 10_000,
    lng: 120.6,
    recordedAt: start + at * 1_000,
    accuracy: 8,
    ...more,
  }))
const imported = async (userId: string, points: readonly unknown[]) => {
  const { status, body } = await service.post('/internal/imported-points', { userId, points })
  expect(status).toBe(200)
  return body.data
}
const NOTHING = { stored: 0, duplicates: 0, tooOld: 0, future: 0, invalid: 0 }

test('points are judged as those of a sync, and stored with the source import', async () => {
  const bad = [
    { lat: 91, lng: 0, recordedAt: start },
    { lat: 24, lng: 120, recordedAt: start - 31 * DAY_MS },
    { lat: 24, lng: 120, recordedAt: start + DAY_MS },
  ]
  expect(await imported('judged', [...walk(3), ...walk(1), ...bad])).toEqual({
    stored: 3,
    duplicates: 1,
    tooOld: 1,
    future: 1,
    invalid: 1,
  })
  await untilFlushed(service)
  const rows = await given.sql`SELECT DISTINCT source FROM tracking.points WHERE user_id = 'judged'`
  expect([...rows]).toEqual([{ source: 'import' }])
})

test('the same points again are duplicates, before the flush and after it', async () => {
  expect(await imported('again', walk(500))).toEqual({ ...NOTHING, stored: 500 })
  expect(await imported('again', walk(500))).toEqual({ ...NOTHING, duplicates: 500 })
  await untilFlushed(service)
  await given.redis.flushDb()
  expect(await imported('again', walk(500))).toEqual({ ...NOTHING, duplicates: 500 })
  expect(await imported('again', walk(501))).toEqual({ ...NOTHING, stored: 1, duplicates: 500 })
})

test('a better point of the same time is stored, a worse one is a duplicate', async () => {
  await imported('better', walk(2))
  await untilFlushed(service)
  expect(await imported('better', walk(2, { accuracy: 20 }))).toEqual({ ...NOTHING, duplicates: 2 })
  expect(await imported('better', walk(2, { accuracy: 3 }))).toEqual({ ...NOTHING, stored: 2 })
})

test('no points are an answer too: whether any would be taken', async () => {
  expect(await imported('unknown-yet', [])).toEqual(NOTHING)
})
