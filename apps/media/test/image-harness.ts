import { connectDatabase } from '@palanquin/db/client'
import { createHttpApp } from '@palanquin/service/http/app'
import { CLIENT_HEADER, INTERNAL_TOKEN_HEADER } from '@palanquin/service/http/headers'
import { createLog, type Log } from '@palanquin/service/log'
import { createMetrics } from '@palanquin/service/metrics'
import { connectRedis } from '@palanquin/service/redis'
import { HANG_MS } from '@palanquin/testing/hang'
import { testDatabase } from '@palanquin/testing/postgres'
import { testRedis } from '@palanquin/testing/redis'
import { type TestS3, testS3 } from '@palanquin/testing/s3'
import { until } from '@palanquin/testing/until'
import postgres from 'postgres'
import { erasureRoute } from '../src/erasure/route.ts'
import { createImages, RAW_BODIES } from '../src/images.ts'
import { connectObjects } from '../src/objects.ts'
import { createSanitizer } from '../src/sanitizer/sanitizer.ts'

const INTERNAL_TOKEN = 'an-internal-token-for-tests'

export type Call = {
  method?: string
  json?: unknown
  body?: Uint8Array | FormData
  headers?: Record<string, string>
  client?: string
}

/**
 * The rooms of screenshots and photos on stores of their own, called without sockets. `sql` is the tests' own way into
 * the database, `s3` and `redisServer` the servers, to be killed and brought back.
 */
export async function imageHarness({
  log = createLog({ service: 'media', level: 'silent' }),
  s3: given,
}: {
  log?: Log
  /** An object store of the caller's, which is closed with the rest. */
  s3?: TestS3
} = {}) {
  const [database, redisServer, s3] = await Promise.all([testDatabase(), testRedis(), given ?? testS3()])
  const redis = connectRedis({ url: redisServer.url, name: 'test', log })
  const db = connectDatabase({ url: database.url, name: 'test', log, deadlineMs: HANG_MS })
  const objects = connectObjects({
    S3_ENDPOINT: s3.url,
    S3_BUCKET: s3.bucket,
    S3_ACCESS_KEY_ID: s3.accessKeyId,
    S3_SECRET_ACCESS_KEY: s3.secretAccessKey,
    S3_REGION: s3.region,
  })
  const sql = postgres(database.url, { max: 2, onnotice: () => {} })
  const metrics = createMetrics('media')
  const images = createImages({
    sanitizer: createSanitizer({ log, metrics, deadlineMs: HANG_MS, waitMsMax: HANG_MS }),
    db,
    redis,
    objects,
    publishOutbox: async () => {},
    internalToken: INTERNAL_TOKEN,
    log,
    metrics,
    imagesUrl: '/api/event/feedback-image/',
  })
  const app = createHttpApp({
    service: 'media',
    internalToken: INTERNAL_TOKEN,
    log,
    metrics,
    readiness: async () => ({}),
    rawBodies: RAW_BODIES,
  })
    .use(images.routes.screenshots)
    .use(images.routes.photos)
    .use(erasureRoute([images.erase]))
  await until(() => redis.isReady, { what: 'a connection to Redis' })

  const call = (path: string, { method, json, body, headers = {}, client = '192.0.2.1' }: Call = {}) => {
    const sent =
      json !== undefined ? JSON.stringify(json) : body instanceof Uint8Array ? new Uint8Array(body) : body
    return app.handle(
      new Request(`http://media${path}`, {
        method: method ?? (sent === undefined ? 'GET' : 'POST'),
        headers: {
          [INTERNAL_TOKEN_HEADER]: INTERNAL_TOKEN,
          [CLIENT_HEADER]: client,
          ...(json === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(sent === undefined ? {} : { body: sent }),
      }),
    )
  }
  return {
    call,
    images,
    objects,
    redis,
    db,
    sql,
    s3,
    redisServer,
    log,
    keys: async () => (await Array.fromAsync(objects.list(''))).flat().map(({ key }) => key),
    close: async () => {
      await images.sanitizer.stop?.()
      redis.destroy()
      objects.close()
      await Promise.all([db.close(), sql.end({ timeout: 5 }), redisServer.close(), s3.close()])
      await database.close()
    },
  }
}

export type ImageHarness = Awaited<ReturnType<typeof imageHarness>>
