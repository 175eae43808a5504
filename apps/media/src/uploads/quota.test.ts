import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { ApiError } from '@palanquin/service/http/api-error'
import { createLog } from '@palanquin/service/log'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { openRedis } from '../../test/stores.ts'
import { type Reservation, uploadQuota } from './quota.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

const log = createLog({ service: 'media', level: 'silent' })
let store: Awaited<ReturnType<typeof openRedis>>
beforeAll(async () => {
  store = await openRedis(log)
})
afterAll(async () => {
  await store.close()
})

/** However late Redis answers, except where there is none. */
let deadlineMs: number | undefined = TEST_TIMEOUT_MS
const quotaOf = (uploadsPerHour: number, bytesPerDay = 1_000) =>
  uploadQuota({ redis: store.redis, log, secret: 'a secret', deadlineMs, uploadsPerHour, bytesPerDay })
const taken = (result: Reservation | ApiError): Reservation => {
  if (result instanceof ApiError) throw result
  return result
}
const tooMany = { code: 'tooMany' }
let address = 0
const someone = () => `198.51.100.${++address}`

/** With Redis and without it. */
async function quotaHolds(): Promise<void> {
  const [quota, one, other] = [quotaOf(3), someone(), someone()]
  for (let count = 0; count < 3; count++) taken(await quota.take(one))
  const refused = await quota.take(one)
  expect(refused).toMatchObject(tooMany)
  const retryAfterS = refused instanceof ApiError ? Number(refused.headers['retry-after']) : 0
  expect(retryAfterS).toBeGreaterThan(3_500)
  expect(retryAfterS).toBeLessThanOrEqual(3_600)
  taken(await quota.take(other))

  const back = quotaOf(1)
  const third = someone()
  for (let count = 0; count < 5; count++) await taken(await back.take(third)).refund()
  taken(await back.take(third))
  expect(await back.take(third)).toMatchObject(tooMany)

  const [large, fourth] = [quotaOf(100, 1_000), someone()]
  await taken(await large.take(fourth)).stored(999)
  await taken(await large.take(fourth)).stored(1)
  const full = await large.take(fourth)
  expect(full).toMatchObject(tooMany)
  expect(full instanceof ApiError ? Number(full.headers['retry-after']) : 0).toBeGreaterThan(80_000)

  const decoding = uploadQuota({
    redis: store.redis,
    log,
    secret: 'a secret',
    deadlineMs,
    decodingMsPerHour: 2_000,
  })
  const fifth = someone()
  for (const processorMs of [1_200, 799.2]) {
    const upload = taken(await decoding.take(fifth))
    await upload.decoded(processorMs)
    await upload.refund()
  }
  expect(await decoding.take(fifth)).toMatchObject(tooMany)
}

test(
  'an address has a quota of uploads and decoding an hour and of bytes a day; a refused upload counts by its decoding',
  quotaHolds,
)

test('processes share a quota, and another address of the same network does not get its own', async () => {
  taken(await quotaOf(2).take('2001:db8:7:7::1'))
  taken(await quotaOf(2).take('2001:db8:7:7:ffff::2'))
  expect(await quotaOf(2).take('2001:db8:7:7::3')).toMatchObject(tooMany)
})

test('Redis holds no address, and every key expires', async () => {
  const upload = taken(await quotaOf(2).take('203.0.113.77'))
  await Promise.all([upload.stored(5), upload.decoded(5)])
  const keys = await store.redis.keys('*')
  expect(keys.some((key) => key.includes('203.0'))).toBe(false)
  for (const key of keys) expect(await store.redis.pTTL(key)).toBeGreaterThan(0)
})

test('without Redis uploads are accepted, and each process counts for itself', async () => {
  await store.server.kill9()
  deadlineMs = undefined
  await quotaHolds()
  await store.server.restart()
})
