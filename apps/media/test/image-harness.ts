import { receiptsUnder } from '@palanquin/service/erasure-token'
import { ApiError } from '@palanquin/service/http/api-error'
import { createHttpApp } from '@palanquin/service/http/app'
import { CLIENT_HEADER, INTERNAL_TOKEN_HEADER } from '@palanquin/service/http/headers'
import { createLog, type Log } from '@palanquin/service/log'
import { createMetrics } from '@palanquin/service/metrics'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { erasureRoute } from '../src/erasure/route.ts'
import { createImages, RAW_BODIES } from '../src/images.ts'
import { linkRoute } from '../src/linking/route.ts'
import type { CheckIn } from '../src/photos/checkin-client.ts'
import { createSanitizer } from '../src/sanitizer/sanitizer.ts'
import { openRedis, openStores } from './stores.ts'

const INTERNAL_TOKEN = 'an-internal-token-for-tests'

export type Call = {
  method?: string
  json?: unknown
  body?: Uint8Array | FormData
  headers?: Record<string, string>
  client?: string
}

/**
 * Uploads and photos on throwaway stores, called without sockets. The objects can be `away`, and `redisServer` killed.
 */
export async function imageHarness({
  log = createLog({ service: 'media', level: 'silent' }),
  folder,
  checkIn = async () => new ApiError('forbidden', 'There are no check-ins here.'),
}: {
  checkIn?: CheckIn
  log?: Log
  /** Of the objects. */
  folder?: string
} = {}) {
  const [stores, { redis, server: redisServer, close: closeRedis }] = await Promise.all([
    openStores({ log, folder }),
    openRedis(log),
  ])
  const { db, objects } = stores
  const metrics = createMetrics('media')
  const images = createImages({
    sanitizer: createSanitizer({ log, metrics, deadlineMs: TEST_TIMEOUT_MS, waitMsMax: TEST_TIMEOUT_MS }),
    db,
    redis,
    objects,
    receiptOf: receiptsUnder('pseudonym-secret-of-the-tests'),
    publishOutbox: async () => {},
    internalToken: INTERNAL_TOKEN,
    log,
    metrics,
    imagesUrl: () => '/api/event/feedback-image/',
    checkIn,
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
    .use(linkRoute({ links: [images.link], eraseCards: async () => {} }))

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
    ...stores,
    call,
    images,
    redis,
    redisServer,
    log,
    close: async () => {
      await images.sanitizer.stop?.()
      await Promise.all([closeRedis(), stores.close()])
    },
  }
}

export type ImageHarness = Awaited<ReturnType<typeof imageHarness>>
