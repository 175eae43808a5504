import { erasureTokens } from '@palanquin/service/erasure-token'
import { followSettings } from '@palanquin/service/event-settings'
import type { Log } from '@palanquin/service/log'
import type { Metrics } from '@palanquin/service/metrics'
import type { Part } from '@palanquin/service/run'
import { followJoinedDevices } from '../access/joined-devices.ts'
import { followParticipants } from '../access/participants.ts'
import { openBeacons } from '../beacons/beacons.ts'
import { beaconStore } from '../beacons/store.ts'
import { openLive } from '../live/live.ts'
import { followEventsForMap } from '../live/sources/events.ts'
import { bufferedPoints } from '../tracks/buffered.ts'
import { createMapApp } from './app.ts'
import type { MapConfig } from './config.ts'
import { openMapStores } from './stores.ts'

type Options = { config: MapConfig; log: Log; metrics: Metrics; now?: () => number }

/**
 * The map process but for its port. It only reads, and writes to no store, so that check-ins do not notice whether it
 * runs, is busy or is gone.
 */
export function createMapService({ config, log, metrics, now = Date.now }: Options) {
  const { driftGuard, PSEUDONYM_SECRET: pseudonymSecret } = config
  const stores = openMapStores({ config, log })
  const { db, redis, eventReader, pointsReader } = stores
  const tokenOf = erasureTokens(pseudonymSecret)
  const participants = followParticipants({ db, tokenOf, log, names: true })
  const joinedDevices = followJoinedDevices({ db, tokenOf, log })
  const beacons = openBeacons({
    store: beaconStore(db),
    now,
    log,
    readBuffered: bufferedPoints(redis),
    onDevicesChange: (devices) => {
      for (const device of devices) live.participantChanged(device)
    },
  })
  const live = openLive({
    db,
    participants,
    joinedDevices,
    pseudonymSecret,
    metrics,
    now,
    log,
    levelKm: config.LEVEL_KM,
    isBeaconDevice: beacons.isDevice,
    beaconDevices: beacons.devices,
    onFix: beacons.add,
    blocking: pointsReader,
  })
  const events = followEventsForMap({ blocking: eventReader, participants, joinedDevices, live, log })
  const settings = followSettings({ redis, log })
  const app = createMapApp({
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
  })
  const parts: Part[] = [
    stores.part,
    settings,
    participants,
    joinedDevices,
    events,
    beacons.part,
    ...live.sources,
  ]
  return { app, redis, parts, streams: live.streams }
}
