import type { Database } from '@palanquin/db/client'
import type { EventHandlers } from '@palanquin/events/delivery'
import type { Objects } from '@palanquin/objects/objects'
import type { ReceiptOf } from '@palanquin/service/erasure-token'
import { userHasher } from '@palanquin/service/hash-user'
import type { Log } from '@palanquin/service/log'
import type { Metrics } from '@palanquin/service/metrics'
import type { Part } from '@palanquin/service/run'
import type { Job } from '@palanquin/service/schedule'
import type { MediaConfig } from '../config.ts'
import { createCardCache } from './cache.ts'
import { createCardService } from './card-service.ts'
import { type ErasedCards, eraseCards } from './erase.ts'
import { orderStore } from './orders.ts'
import { preRender } from './pre-render.ts'
import { profileClient } from './profile-client.ts'
import { type CardLimits, type CardWorker, createCardPool } from './render/card-pool.ts'
import { cardMetrics } from './render/metrics.ts'
import { type CardLinks, cardRoutes, linksTo } from './route.ts'
import { cardSaver } from './save-card.ts'
import { cardShareRoutes } from './share-routes.ts'
import { cardShareStore } from './shares.ts'
import { cardStore } from './store.ts'
import { sweepCards } from './sweep.ts'

const PRE_RENDER_EVERY_MS = 500
const SWEEP_EVERY_MS = 60_000

export type CardSettings = Pick<
  MediaConfig,
  | 'INTERNAL_TOKEN'
  | 'ENGAGEMENT_URL'
  | 'EVENT_BRAND'
  | 'EVENT_NAME_ZH'
  | 'EVENT_NAME_EN'
  | 'EVENT_DATES'
  | 'PUBLIC_BASE_URL'
  | 'CARD_WORKERS'
>

type Options = {
  settings: CardSettings
  db: Database
  objects: Objects
  receiptOf: ReceiptOf
  publishOutbox: () => Promise<void>
  log: Log
  metrics: Metrics
  startThread?: () => CardWorker
  /** Default: limits that fit into the gateway's deadline. */
  limits?: CardLimits
  /** For tests: how long engagement may take for a profile. */
  profileDeadlineMs?: number
}

/** Share cards: all parts of the module put together. */
export function createCards(options: Options) {
  const { settings, db, objects, receiptOf, publishOutbox, log, startThread, limits } = options
  const { INTERNAL_TOKEN: secret, ENGAGEMENT_URL: engagementUrl } = settings
  const hashUser = userHasher(secret)
  const metrics = cardMetrics(options.metrics)
  const cache = createCardCache()
  const store = cardStore(db)
  const orders = orderStore(db, receiptOf)
  const shares = cardShareStore(db, receiptOf)
  const getProfile = profileClient({
    engagementUrl,
    internalToken: secret,
    deadlineMs: options.profileDeadlineMs,
  })
  const event = {
    get nameZh() {
      return settings.EVENT_NAME_ZH
    },
    get nameEn() {
      return settings.EVENT_NAME_EN
    },
    dates: settings.EVENT_DATES ?? null,
  }
  const pool = createCardPool({
    log,
    metrics,
    threads: settings.CARD_WORKERS,
    ...limits,
    ...(startThread ? { start: startThread } : {}),
  })
  const service = createCardService({
    save: cardSaver({ store, objects, secret, hashUser, receiptOf }),
    getProfile,
    store,
    objects,
    cache,
    pool,
    metrics,
    event,
  })
  const sweep = (options?: { graceS?: number }) => sweepCards({ store, objects }, options)
  const stopping = new AbortController()
  /** Owners may change the address at any time. */
  const linksNow = () => linksTo({ baseUrl: settings.PUBLIC_BASE_URL, brand: settings.EVENT_BRAND })
  const linkTo: CardLinks = {
    picture: (userId) => linksNow().picture(userId),
    share: (shareId) => linksNow().share(shareId),
  }
  return {
    orders,
    sweep,
    routes: cardRoutes({ service, shares, linkTo, publishOutbox }).use(
      cardShareRoutes({ service, shares, getProfile, event }),
    ),
    handlers: {
      'achievement.unlocked': orders.orderOne,
      'activity.ended': orders.orderAllUnlocked,
    } satisfies EventHandlers,
    jobs: [
      {
        name: 'pre-rendered cards',
        everyMs: PRE_RENDER_EVERY_MS,
        run: () => preRender({ orders, service, pool, metrics, log, hashUser }, stopping.signal),
      },
      { name: 'objects of replaced cards', everyMs: SWEEP_EVERY_MS, run: () => sweep() },
    ] satisfies Job[],
    /** Erases the cards of a participant, in the stores and in this process. */
    erase: async (userId: string): Promise<ErasedCards> => {
      const erased = await eraseCards(userId, { store, objects, secret })
      cache.delete(userId)
      return erased
    },
    /** To be stopped after the requests: it ends the threads. */
    part: {
      name: 'cards',
      stop: () => {
        stopping.abort()
        pool.stop()
      },
    } satisfies Part,
  }
}
