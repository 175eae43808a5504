import type { Database } from '@palanquin/db/client'
import type { Objects } from '@palanquin/objects/objects'
import type { ReceiptOf } from '@palanquin/service/erasure-token'
import { createHttpApp } from '@palanquin/service/http/app'
import type { Log } from '@palanquin/service/log'
import type { Metrics } from '@palanquin/service/metrics'
import { storeProbe } from '@palanquin/service/probe'
import type { Redis } from '@palanquin/service/redis'
import { type CardSettings, createCards } from './cards/cards.ts'
import { erasureRoute } from './erasure/route.ts'
import { createImages, RAW_BODIES } from './images.ts'
import { createImports } from './imports/imports.ts'
import { IMPORT_BODIES } from './imports/route.ts'
import type { SendPoints } from './imports/tracking-client.ts'
import { linkRoute } from './linking/route.ts'
import type { CheckIn } from './photos/checkin-client.ts'
import { menuRoutes } from './rich-menu/route.ts'

export type Dependencies = {
  db: Database
  redis: Redis
  objects: Objects
  publishOutbox: () => Promise<void>
  /** Public address of screenshots: `/api/event/feedback-image/`, or that on a host. */
  imagesUrl: () => string
  /** Checks in with a photo, at tracking. */
  checkIn: CheckIn
  /** Sends points of imported files to tracking. */
  sendPoints: SendPoints
  /** When the activity begins (epoch ms): earlier points of files are not taken. */
  startsAtMs: () => number | null
  internalToken: string
  receiptOf: ReceiptOf
  cards: CardSettings
  log: Log
  metrics: Metrics
}

/** The media service without its sockets: modules on shared stores. */
export function createMedia({
  db,
  redis,
  objects,
  publishOutbox,
  imagesUrl,
  checkIn,
  sendPoints,
  startsAtMs,
  receiptOf,
  cards: settings,
  ...shell
}: Dependencies) {
  const { log, metrics } = shell
  const cards = createCards({ settings, db, objects, receiptOf, publishOutbox, log, metrics })
  const images = createImages({ db, redis, objects, publishOutbox, imagesUrl, checkIn, receiptOf, ...shell })
  const { quota } = images
  const imports = createImports({ db, objects, quota, send: sendPoints, receiptOf, startsAtMs, log, metrics })
  const objectStore = storeProbe('the object store', objects.ping)
  // A table rather than the server: a database without the schema is not ready.
  const database = storeProbe('PostgreSQL', () => db.query('SELECT 1 AS there FROM media.cards LIMIT 1'))
  const kv = storeProbe('Redis', () => redis.ping())
  const readiness = async () => {
    const [store, postgres, bus] = await Promise.all([objectStore(), database(), kv()])
    return { objectStore: store, postgres, redis: bus }
  }
  const app = createHttpApp({
    ...shell,
    service: 'media',
    readiness,
    rawBodies: { ...RAW_BODIES, ...IMPORT_BODIES },
  })
    .get('/internal/health', async () => ({ r2: (await objectStore()).ok ? 'ok' : 'error' }), {
      detail: { hide: true },
    })
    .use(images.routes.screenshots)
    .use(images.routes.photos)
    .use(imports.routes)
    .use(erasureRoute([imports.erase, images.erase, cards.erase]))
    .use(linkRoute({ links: [images.link, imports.link], eraseCards: cards.erase }))
    .use(cards.routes)
    .use(menuRoutes())
  return { app, images, cards, imports }
}
