import type { Database } from '@palanquin/db/client'
import type { EventHandlers } from '@palanquin/events/delivery'
import { userHasher } from '@palanquin/service/hash-user'
import type { Job } from '@palanquin/service/jobs'
import type { Log } from '@palanquin/service/log'
import type { Metrics } from '@palanquin/service/metrics'
import type { Part } from '@palanquin/service/run'
import type { MediaConfig } from '../config.ts'
import type { Objects } from '../objects.ts'
import { createCardMemory } from './cache.ts'
import { createCards } from './card-service.ts'
import { type ErasedCards, eraseCards } from './erase.ts'
import { cardMetrics } from './metrics.ts'
import { orderStore } from './pre-rendering/orders.ts'
import { carryOut } from './pre-rendering/pre-render.ts'
import { profilesOf } from './profile-client.ts'
import { type CardLimits, type CardWorker, createCardPool } from './render/card-pool.ts'
import { cardRoutes, linksTo } from './route.ts'
import { cardStore } from './store.ts'
import { sweepLeftovers } from './sweep.ts'

const ORDERS_EVERY_MS = 500
const SWEEP_EVERY_MS = 60_000

/** What the configuration says of cards. */
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
  tell: () => Promise<void>
  log: Log
  metrics: Metrics
  startThread?: () => CardWorker
  /** Default: what the gateway's deadline asks for. */
  limits?: CardLimits
}

/** Share cards: all of the room's parts put together. */
export function openCards(options: Options) {
  const { settings, db, objects, tell, log, metrics: registry, startThread, limits } = options
  const { INTERNAL_TOKEN: secret, ENGAGEMENT_URL: engagementUrl } = settings
  const hashUser = userHasher(secret)
  const metrics = cardMetrics(registry)
  const memory = createCardMemory()
  const pool = createCardPool({
    log,
    metrics,
    threads: settings.CARD_WORKERS,
    ...limits,
    ...(startThread ? { start: startThread } : {}),
  })
  const room = createCards({
    ask: profilesOf({ engagementUrl, internalToken: secret }),
    store: cardStore(db),
    objects,
    memory,
    pool,
    metrics,
    event: {
      nameZh: settings.EVENT_NAME_ZH,
      nameEn: settings.EVENT_NAME_EN,
      dates: settings.EVENT_DATES ?? null,
    },
    secret,
    hashUser,
  })
  const orders = orderStore(db)
  const sweep = (options?: { graceS?: number }) => sweepLeftovers({ db, objects }, options)
  const stopping = new AbortController()
  const linkOf = linksTo({ baseUrl: settings.PUBLIC_BASE_URL, brand: settings.EVENT_BRAND })
  return {
    ...room,
    orders,
    sweep,
    routes: cardRoutes({ room, linkOf, tell }),
    handlers: {
      'achievement.unlocked': orders.one,
      'activity.ended': orders.everybody,
    } satisfies EventHandlers,
    jobs: [
      {
        name: 'cards made ahead',
        everyMs: ORDERS_EVERY_MS,
        run: () => carryOut({ orders, room, pool, metrics, log, hashUser }, stopping.signal),
      },
      { name: 'leftovers of cards', everyMs: SWEEP_EVERY_MS, run: () => sweep() },
    ] satisfies Job[],
    /** Erases the cards of a participant, here and in the stores. */
    erase: async (userId: string): Promise<ErasedCards> => {
      const erased = await eraseCards(userId, { db, objects, secret })
      memory.forget(userId)
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

export type CardsOfMedia = ReturnType<typeof openCards>
