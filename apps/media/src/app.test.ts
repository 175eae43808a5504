import { afterAll, beforeAll, beforeEach, expect, setDefaultTimeout, test } from 'bun:test'
import { connectDatabase } from '@palanquin/db/client'
import { objectsAccess } from '@palanquin/objects/access'
import { connectObjects } from '@palanquin/objects/objects'
import { receiptsUnder } from '@palanquin/service/erasure-token'
import { ApiError } from '@palanquin/service/http/api-error'
import { createLog } from '@palanquin/service/log'
import { createMetrics } from '@palanquin/service/metrics'
import { connectRedis } from '@palanquin/service/redis'
import { type TestDatabase, testDatabase } from '@palanquin/testing/postgres'
import { testRedis } from '@palanquin/testing/redis'
import { type TestS3, testS3 } from '@palanquin/testing/s3'
import type { TestServer } from '@palanquin/testing/server'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { until } from '@palanquin/testing/until'
import { createMedia } from './app.ts'
import { readMediaConfig } from './config.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

const INTERNAL_TOKEN = 'an-internal-token-for-tests'
const log = createLog({ service: 'media', level: 'silent' })
const closing: (() => unknown)[] = []
let s3: TestS3
let database: TestDatabase
let redisServer: TestServer
beforeAll(async () => {
  ;[s3, database, redisServer] = await Promise.all([testS3(), testDatabase(), testRedis()])
})
afterAll(async () => {
  for (const close of closing) await close()
  await Promise.all([s3.close(), database.close(), redisServer.close()])
})

/** The service on the test's object store; `changed` overrides variables. */
function media(changed: Record<string, string> = {}) {
  const config = readMediaConfig({
    INTERNAL_TOKEN,
    REDIS_URL: redisServer.url,
    DATABASE_URL: database.url,
    PSEUDONYM_SECRET: 'pseudonym-secret-of-the-tests',
    ENGAGEMENT_URL: 'http://127.0.0.1:1',
    TRACKING_URL: 'http://127.0.0.1:1',
    S3_ENDPOINT: s3.access.endpoint,
    S3_BUCKET: s3.access.bucket,
    S3_ACCESS_KEY_ID: s3.access.accessKeyId,
    S3_SECRET_ACCESS_KEY: s3.access.secretAccessKey,
    ...changed,
  })
  const objects = connectObjects(objectsAccess(config))
  const redis = connectRedis({ url: config.REDIS_URL, name: 'test', log })
  const db = connectDatabase({ url: config.DATABASE_URL, name: 'test', log })
  closing.push(objects.close, () => redis.destroy(), db.close)
  const { app } = createMedia({
    db,
    redis,
    objects,
    publishOutbox: async () => {},
    imagesUrl: () => '/api/event/feedback-image/',
    checkIn: async () => new ApiError('forbidden', 'There are no check-ins here.'),
    sendPoints: async () => new ApiError('forbidden', 'There are no imports here.'),
    startsAtMs: () => null,
    receiptOf: receiptsUnder(config.PSEUDONYM_SECRET),
    internalToken: INTERNAL_TOKEN,
    cards: config,
    log,
    metrics: createMetrics('media'),
  })
  const call = (path: string) =>
    app.handle(new Request(`http://media${path}`, { headers: { 'x-internal-token': INTERNAL_TOKEN } }))
  return {
    health: async () => (await call('/internal/health')).json() as Promise<{ r2: string }>,
    ready: async () => (await call('/ready')).status,
  }
}

/** Waits until health reports it. */
const says = (service: ReturnType<typeof media>, r2: 'ok' | 'error') =>
  until(async () => (await service.health()).r2 === r2, { what: `health says r2: ${r2}` })

let service: ReturnType<typeof media>
beforeEach(() => {
  service = media()
})

test('health is ok while the bucket exists', async () => {
  await says(service, 'ok')
  await until(async () => (await service.ready()) === 200, { what: 'the service is ready' })
})

test('health is an error while the object store is killed, and ok after its return', async () => {
  await says(service, 'ok')
  await s3.kill9()
  await says(service, 'error')
  expect(await service.ready()).toBe(503)
  await s3.restart()
  await says(service, 'ok')
})

test('health is an error at the deadline when the object store never replies', async () => {
  await says(service, 'ok')
  s3.suspend()
  await says(service, 'error')
  s3.resume()
  await says(service, 'ok')
})

test('health is an error for a missing bucket', async () => {
  const misled = media({ S3_BUCKET: 'another' })
  expect(await misled.health()).toEqual({ r2: 'error' })
  expect(await misled.ready()).toBe(503)
})

test('a configuration without the object store is rejected, and every missing variable is named', () => {
  const env = { INTERNAL_TOKEN, REDIS_URL: 'redis://127.0.0.1:1' }
  for (const name of [
    'DATABASE_URL',
    'ENGAGEMENT_URL',
    'S3_ENDPOINT',
    'S3_BUCKET',
    'S3_ACCESS_KEY_ID',
    'S3_SECRET_ACCESS_KEY',
  ])
    expect(() => readMediaConfig(env)).toThrow(`${name} is missing`)
})
