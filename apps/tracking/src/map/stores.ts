import { connectDatabase } from '@palanquin/db/client'
import { databaseProblem } from '@palanquin/db/requirements'
import type { Log } from '@palanquin/service/log'
import { storeProbe } from '@palanquin/service/probe'
import { connectRedis } from '@palanquin/service/redis'
import { storesPart } from '@palanquin/service/stores-part'
import type { MapConfig } from './config.ts'

export type MapStores = ReturnType<typeof openMapStores>

/** PostgreSQL and Redis. A blocking read stalls its whole connection, so each reader has a connection of its own. */
export function openMapStores({ config, log }: { config: MapConfig; log: Log }) {
  const url = config.REDIS_URL
  const redis = connectRedis({ url, name: 'map', log })
  const eventReader = connectRedis({ url, name: 'map:events', log, blocking: true })
  const pointsReader = connectRedis({ url, name: 'map:points', log, blocking: true })
  const db = connectDatabase({ url: config.DATABASE_URL, name: 'map', log })
  return {
    db,
    redis,
    eventReader,
    pointsReader,
    /** They never reject, and take half a second at most. */
    probes: {
      postgres: storeProbe('PostgreSQL', db.ping),
      redis: storeProbe('Redis', () => redis.ping()),
    },
    part: storesPart({
      log,
      redis: [redis, eventReader, pointsReader],
      check: () => databaseProblem(db),
      close: () => db.close(),
    }),
  }
}
