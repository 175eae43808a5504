import type { Database } from '@palanquin/db/client'
import { createHttpApp } from '@palanquin/service/http/app'
import type { Log } from '@palanquin/service/log'
import type { Metrics } from '@palanquin/service/metrics'
import { storeProbe } from '@palanquin/service/probe'
import type { Redis } from '@palanquin/service/redis'
import { type CardSettings, openCards } from './cards/cards.ts'
import { erasureRoute } from './erasure/route.ts'
import { createPictures, RAW_BODIES } from './images.ts'
import type { Objects } from './objects.ts'
import { menuRoutes } from './rich-menu/route.ts'

export type Dependencies = {
  db: Database
  redis: Redis
  objects: Objects
  /** The outbox relay's `kick`. */
  tell: () => Promise<void>
  /** Where screenshots are for the world: `/api/event/feedback-image/`, or that on a host. */
  imagesUrl: string
  internalToken: string
  cards: CardSettings
  log: Log
  metrics: Metrics
}

/** The media service without its sockets: rooms that share stores. */
export function createMedia({
  db,
  redis,
  objects,
  tell,
  imagesUrl,
  cards: settings,
  ...shell
}: Dependencies) {
  const { log, metrics } = shell
  const cards = openCards({ settings, db, objects, tell, log, metrics })
  const pictures = createPictures({ db, redis, objects, tell, imagesUrl, ...shell })
  const objectStore = storeProbe('the object store', objects.ping)
  // Asking a table rather than the server: a database without our schema is not one that we can work with.
  const database = storeProbe('PostgreSQL', () => db.query('SELECT 1 AS there FROM media.cards LIMIT 1'))
  const kv = storeProbe('Redis', () => redis.ping())
  const readiness = async () => {
    const [store, postgres, bus] = await Promise.all([objectStore(), database(), kv()])
    return { objectStore: store, postgres, redis: bus }
  }
  const app = createHttpApp({ ...shell, service: 'media', readiness, rawBodies: RAW_BODIES })
    .get('/internal/health', async () => ({ r2: (await objectStore()).ok ? 'ok' : 'error' }), {
      detail: { hide: true },
    })
    .use(pictures.routes.screenshots)
    .use(pictures.routes.photos)
    .use(erasureRoute([pictures.erase, cards.erase]))
    .use(cards.routes)
    .use(menuRoutes())
  return { app, pictures, cards }
}

export type Media = ReturnType<typeof createMedia>
