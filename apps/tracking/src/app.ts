import type { ErasureTokenOf } from '@palanquin/service/erasure-token'
import { requestAccounts } from '@palanquin/service/http/accounts'
import { createHttpApp } from '@palanquin/service/http/app'
import type { ServiceContext } from '@palanquin/service/start-service'
import type { AccessCheck } from './access/access-check.ts'
import type { ActivityView } from './access/activity.ts'
import type { JoinedDevices } from './access/joined-devices.ts'
import type { Newcomers } from './access/newcomers.ts'
import type { Participants } from './access/participants.ts'
import { registeredParticipants, registeredRoutes } from './access/registered.ts'
import { participantsRoutes } from './access/route.ts'
import { adminBeaconRoutes } from './beacons/admin-routes.ts'
import { beaconStore } from './beacons/store.ts'
import type { RedisClock } from './clock/redis-clock.ts'
import type { TrackingConfig } from './config.ts'
import type { DeviceReports } from './devices/reports.ts'
import type { DeviceTokens } from './devices/tokens.ts'
import type { participantEraser } from './erasure/erase.ts'
import { erasureRoutes } from './erasure/route.ts'
import { flushEverything } from './flush/everything.ts'
import type { Flusher } from './flush/flusher.ts'
import type { LastFlush } from './flush/last-flush.ts'
import { flushRoutes } from './flush/route.ts'
import { healthRoutes } from './health.ts'
import { acceptCheckins } from './ingest/checkin/accept.ts'
import { batchedCheckins } from './ingest/checkin/batch.ts'
import { checkinRoutes } from './ingest/checkin/route.ts'
import type { WriteBehind } from './ingest/checkin/write-behind.ts'
import { acceptDeliveries } from './ingest/devices/accept.ts'
import { batchedDeliveries } from './ingest/devices/batch.ts'
import { deviceRoutes } from './ingest/devices/route.ts'
import { acceptImports } from './ingest/imports/accept.ts'
import { importRoutes } from './ingest/imports/route.ts'
import { acceptSyncs } from './ingest/track-sync/accept.ts'
import { batchedSyncs } from './ingest/track-sync/batch.ts'
import { syncBuffer } from './ingest/track-sync/buffer.ts'
import { trackSyncRoutes } from './ingest/track-sync/route.ts'
import type { Journal } from './journal/journal.ts'
import type { RedisWatch } from './journal/redis-loss.ts'
import type { Replayer } from './journal/replay.ts'
import type { TrackingStores } from './stores.ts'

export type TrackingModules = ServiceContext<TrackingConfig> & {
  stores: TrackingStores
  journal: Journal
  replayer: Replayer
  redisWatch: RedisWatch
  writeBehind: WriteBehind
  activity: ActivityView
  participants: Participants
  accessCheck: AccessCheck
  joinedDevices: JoinedDevices
  newcomers: Newcomers
  tokens: DeviceTokens
  reports: DeviceReports
  flusher: Flusher
  last: LastFlush
  tokenOf: ErasureTokenOf
  eraser: ReturnType<typeof participantEraser>
  clock: RedisClock
  /** Publishes what stands in the outbox. */
  publish: () => void
}

/** The service's HTTP side: its modules, mounted. Opens nothing and listens to nothing. */
export function createApp(modules: TrackingModules) {
  const { config, log, metrics, failPoint, clock, tokenOf } = modules
  const { stores, journal, replayer, redisWatch, activity, participants, accessCheck, flusher } = modules
  const { redis, probes } = stores
  const { validSources: sources } = config
  const shell = { service: 'tracking', log, metrics }
  const accounts = requestAccounts(shell)
  const { writeBehind, newcomers } = modules
  const { ownerOf } = modules.joinedDevices
  const judging = { accessCheck, newcomers, ownerOf, sources, clock }
  const checkins = acceptCheckins({ ...judging, journal, writeBehind, failPoint })
  const buffer = syncBuffer({ redis, journal, accessCheck, tokenOf, log })
  const syncs = acceptSyncs({ ...judging, buffer })
  const { tokens, reports } = modules
  const deliveries = acceptDeliveries({ tokens, reports, buffer, accessCheck, clock })
  const imports = acceptImports({ db: stores.db, buffer, accessCheck, clock })
  return createHttpApp({
    ...shell,
    accounts,
    internalToken: config.INTERNAL_TOKEN,
    batches: [
      batchedCheckins(checkins, { accounts, newcomers }),
      batchedSyncs({ accounts, syncs, buffer, newcomers }),
      batchedDeliveries(deliveries, accounts),
    ],
    readiness: async () => ({
      postgres: await probes.postgres(),
      redis: await probes.redis(),
      participants: { ok: participants.isKnown() },
    }),
  })
    .use(checkinRoutes(checkins))
    .use(trackSyncRoutes(syncs))
    .use(deviceRoutes(deliveries, tokens))
    .use(importRoutes(imports))
    .use(registeredRoutes(registeredParticipants({ participants, redis, log })))
    .use(flushRoutes(flushEverything({ activity, redisWatch, journal, replayer, flusher })))
    .use(erasureRoutes(modules.eraser))
    .use(participantsRoutes(participants))
    .use(adminBeaconRoutes({ store: beaconStore(stores.db), onChange: modules.publish }))
    .use(
      healthRoutes({
        redis,
        journal,
        last: modules.last,
        now: clock.now,
        flushSchedule: config.FLUSH_SCHEDULE,
        probes,
      }),
    )
}
