import type { Database } from '@palanquin/db/client'
import type { LevelKm } from '@palanquin/domain/rank'
import { requestAccounts } from '@palanquin/service/http/accounts'
import { createHttpApp } from '@palanquin/service/http/app'
import { BATCH_BYTES_MAX } from '@palanquin/service/http/batch'
import { PaginatedExport } from '@palanquin/service/http/paginated-export'
import type { Log } from '@palanquin/service/log'
import type { Metrics } from '@palanquin/service/metrics'
import { storeProbe } from '@palanquin/service/probe'
import type { Redis } from '@palanquin/service/redis'
import { achievements as achievementsOf } from './achievements/unlock.ts'
import type { ActivityDependencies } from './activity/change.ts'
import type { HasLine } from './activity/features.ts'
import type { FinalFlush } from './activity/final-flush.ts'
import { activityProjection } from './activity/projection.ts'
import type { EventFacts } from './activity/public.ts'
import { publicActivityRoutes } from './activity/public-route.ts'
import { activityRoutes } from './activity/route.ts'
import { activityStore } from './activity/store.ts'
import { carbonRoutes } from './carbon/route.ts'
import type { ErasureDependencies } from './erasure/erase.ts'
import { erasureRoutes } from './erasure/route.ts'
import { erasureStore } from './erasure/store.ts'
import { feedbackRoutes } from './feedback/route.ts'
import { feedbackStore } from './feedback/store.ts'
import { healthRoutes } from './health/route.ts'
import { PROFILES_PATH } from './participants/batch-route.ts'
import { bufferedReader, pendingReader } from './participants/buffer-reader.ts'
import type { Participants } from './participants/change.ts'
import type { RefreshViews } from './participants/refresh-views.ts'
import { participantRoutes } from './participants/route.ts'
import { createStatisticsCache } from './participants/statistics-cache.ts'
import { participantStore } from './participants/store.ts'
import type { ListStores } from './reports/participants/list.ts'
import { participantListRoutes } from './reports/participants/route.ts'
import { unregisteredFinder } from './reports/participants/unregistered.ts'
import type { UnregisteredOnMap } from './reports/participants/unregistered-on-map.ts'
import { surveyListRoutes } from './reports/surveys/route.ts'
import { timelineRoutes } from './reports/timeline/route.ts'
import { roleRoutes } from './roles/route.ts'
import { roleStore } from './roles/store.ts'
import { surveyRoutes } from './survey/route.ts'

/** Contract section 5: a change of the activity holds for every process within one second. */
const PROPAGATION_MS = 1_000

/** The gateway gives an erasure a minute. */
const ERASE_DEADLINE_MS = 50_000

export type Dependencies = {
  db: Database
  redis: Redis
  /** The outbox relay's `kick`. */
  tell: () => Promise<void>
  refreshViews: RefreshViews
  /** Which kilometres a level counts. */
  levelKm: LevelKm
  flush: FinalFlush
  /** The other services' parts of an erasure. */
  eraseAt: ErasureDependencies['services']
  /** Below the minute that the gateway gives to an erasure. */
  eraseDeadlineMs?: number
  /** Whom tracking knows of and this service may not. */
  unregisteredOnMap: UnregisteredOnMap
  internalToken: string
  /** What the settings say of the event; its time zone is that of the rollups of tracking. */
  event: EventFacts
  hasLine: HasLine
  /** USER_AUTH=line. */
  auth: boolean
  log: Log
  metrics: Metrics
  now: () => number
  propagationMs?: number
}

/** The engagement service without its sockets: rooms that share stores, and what the schedule needs of them. */
export function createEngagement({
  db,
  redis,
  tell,
  refreshViews,
  levelKm,
  flush,
  eraseAt,
  eraseDeadlineMs = ERASE_DEADLINE_MS,
  unregisteredOnMap,
  event,
  hasLine,
  auth,
  now,
  propagationMs = PROPAGATION_MS,
  ...shell
}: Dependencies) {
  const { log } = shell
  const { timezone: timeZone } = event
  const cache = createStatisticsCache({ redis, log })
  const achievements = achievementsOf(db)
  const participants: Participants = {
    db,
    cache,
    store: participantStore(db),
    achievements,
    tell,
    refreshViews,
    levelKm,
  }
  const strangers = unregisteredFinder({ db, unregisteredOnMap, bufferedOf: bufferedReader({ redis, log }) })
  const people: ListStores = { db, cache, pendingOf: pendingReader({ redis, log }), strangers, levelKm }
  const turns = new PaginatedExport()
  const activities = activityStore(db)
  const projection = activityProjection({ store: activities, redis, log })
  const activity: ActivityDependencies = {
    store: activities,
    projection,
    tell,
    flush,
    unlockDue: achievements.sweep,
    now,
    propagationMs,
  }
  // Asking a table rather than the server: a database without our schema is not one that we can work with.
  const database = storeProbe('PostgreSQL', activities.read)
  const kv = storeProbe('Redis', () => redis.ping())
  const readiness = async () => {
    const [postgres, buffer] = await Promise.all([database(), kv()])
    return { postgres, redis: buffer }
  }
  const service = 'engagement'
  const accounts = requestAccounts({ ...shell, service })
  const rawBodies = { [PROFILES_PATH]: BATCH_BYTES_MAX }
  const app = createHttpApp({ ...shell, service, readiness, rawBodies, accounts })
    .use(participantRoutes(participants, accounts))
    .use(surveyRoutes(participants))
    .use(activityRoutes(activity))
    .use(publicActivityRoutes({ projection, facts: event, hasLine, auth, now }))
    .use(feedbackRoutes({ db, store: feedbackStore(db), cache }))
    .use(roleRoutes({ store: roleStore(db) }))
    .use(
      erasureRoutes({
        redis,
        store: erasureStore(db),
        cache,
        services: eraseAt,
        tell,
        deadlineMs: eraseDeadlineMs,
      }),
    )
    .use(participantListRoutes({ people, turns, log }))
    .use(surveyListRoutes({ stores: people, turns, log }))
    .use(carbonRoutes({ db, timeZone }))
    .use(timelineRoutes({ db, timeZone }))
    .use(healthRoutes({ database, redis: kv, activity: () => projection.latest()?.status ?? null }))
  return { app, activity, achievements, cache, projection }
}

export type Engagement = ReturnType<typeof createEngagement>
