import { DENSITY_COUNT_MIN } from '@palanquin/domain/density'
import type { EventSettings } from '@palanquin/service/event-settings'
import { createHttpApp } from '@palanquin/service/http/app'
import type { Log } from '@palanquin/service/log'
import type { Metrics } from '@palanquin/service/metrics'
import type { Participants } from '../access/participants.ts'
import { participantsRoutes } from '../access/route.ts'
import type { Beacons } from '../beacons/beacons.ts'
import { beaconRoutes } from '../beacons/route.ts'
import { clustersRoutes } from '../clusters/route.ts'
import { densityRoutes } from '../density/route.ts'
import type { openLive } from '../live/live.ts'
import { nearbyRoute } from '../live/nearby-route.ts'
import { positionRoute } from '../live/position-route.ts'
import { positionsRoute } from '../live/positions-route.ts'
import { liveRoutes } from '../live/route.ts'
import { withinRoute } from '../live/within-route.ts'
import { allPointsRoute } from '../tracks/all-points.ts'
import { bufferedPoints, bufferedUnlessCrowded, type ReadBuffered } from '../tracks/buffered.ts'
import { participantTrackRoutes } from '../tracks/route.ts'
import type { MapConfig } from './config.ts'
import type { MapStores } from './stores.ts'

export type MapModules = {
  config: MapConfig
  stores: MapStores
  live: ReturnType<typeof openLive>
  beacons: Beacons
  settings: EventSettings
  participants: Participants
  driftGuard: boolean
  metrics: Metrics
  log: Log
  now: () => number
}

/** The HTTP app of the map process; it opens nothing and does not listen. */
export function createMapApp({
  config,
  stores,
  live,
  beacons,
  settings,
  participants,
  driftGuard,
  metrics,
  log,
  now,
}: MapModules) {
  const { db, redis, probes } = stores
  const ofTrack = bufferedUnlessCrowded(redis)
  // What a beacon's device sends is in no track.
  const readBuffered: ReadBuffered = async (userId) => (beacons.isDevice(userId) ? [] : ofTrack(userId))
  return createHttpApp({
    service: 'map',
    log,
    metrics,
    internalToken: config.INTERNAL_TOKEN,
    readiness: async () => ({
      postgres: await probes.postgres(),
      redis: await probes.redis(),
      map: { ok: live.isReady() },
    }),
  })
    .use(liveRoutes(live))
    .use(participantsRoutes(participants))
    .use(positionRoute({ live, db }))
    .use(positionsRoute({ live }))
    .use(withinRoute({ live }))
    .use(nearbyRoute({ live }))
    .use(densityRoutes({ ...live, countMin: () => settings.get().densityMin ?? DENSITY_COUNT_MIN }))
    .use(beaconRoutes(beacons))
    .use(clustersRoutes({ db, live, log }))
    .use(allPointsRoute({ db, readBuffered: bufferedPoints(redis), log }))
    .use(participantTrackRoutes({ db, live, readBuffered, driftGuard, log, now }))
  // What only reads positions or tracks is mounted here, never in the app that takes check-ins.
}
