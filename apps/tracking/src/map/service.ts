import type { Log } from '@palanquin/service/log'
import { createMetrics } from '@palanquin/service/metrics'
import type { Part } from '@palanquin/service/run'
import { followParticipants } from '../access/participants.ts'
import { erasureTokens } from '../erasure/token.ts'
import { openLive } from '../live/live.ts'
import { followForMap } from '../live/sources/events.ts'
import { createMapApp } from './app.ts'
import type { MapConfig } from './config.ts'
import { openMapStores } from './stores.ts'

type Options = { config: MapConfig; log: Log; now?: () => number }

export type MapService = Awaited<ReturnType<typeof openMap>>

/**
 * Opens the map process but for its port: the live positions of everybody and what is read of stored tracks. It writes
 * to no store, so that check-ins do not notice whether it runs, is busy or is gone.
 */
export async function openMap({ config, log, now = Date.now }: Options) {
  const { driftGuard, PSEUDONYM_SECRET: pseudonymSecret } = config
  const stores = openMapStores({ config, log })
  const { db, redis, eventReader, pointsReader } = stores
  const participants = followParticipants({ db, tokenOf: erasureTokens(pseudonymSecret), log })
  const metrics = createMetrics('map')
  const live = openLive({
    ...{ db, participants, pseudonymSecret, metrics, now, log },
    levelKm: config.LEVEL_KM,
    blocking: pointsReader,
  })
  const events = followForMap({ blocking: eventReader, participants, live, log })
  const app = createMapApp({ config, stores, live, participants, driftGuard, metrics, log, now })
  const parts: Part[] = [participants, events, ...live.parts]
  for (const part of parts) await part.start?.()
  return {
    app,
    redis,
    /** Ends the event streams: the server waits for them before it stops. */
    endStreams: live.streams.stop,
    close: async (): Promise<void> => {
      for (const part of parts.toReversed()) await part.stop?.()
      await stores.close()
    },
    stores,
  }
}
