import { connectDatabase } from '@palanquin/db/client'
import { databaseProblem } from '@palanquin/db/requirements'
import { writeProbe } from '@palanquin/db/write-probe'
import { SHARD_COUNT, shardTag } from '@palanquin/domain/ids'
import type { Log } from '@palanquin/service/log'
import { storeProbe } from '@palanquin/service/probe'
import { connectRedis } from '@palanquin/service/redis'
import { storesPart } from '@palanquin/service/stores-part'
import type { TrackingConfig } from './config.ts'

const PROBE_KEYS = Array.from({ length: SHARD_COUNT }, (_, shard) => `${shardTag(shard)}:probe`)
const PROBE_S = 60

export type TrackingStores = ReturnType<typeof openStores>

/** PostgreSQL and Redis; connects in the background, so that the service starts without them. */
export function openStores({ config, log }: { config: TrackingConfig; log: Log }) {
  const url = config.REDIS_URL
  const redis = connectRedis({ url, name: 'tracking', log })
  // A blocking read stalls its whole connection, so the reader has its own.
  const eventReader = connectRedis({ url, name: 'tracking:events', log, blocking: true })
  const db = connectDatabase({ url: config.DATABASE_URL, name: 'tracking', log })
  const writes = writeProbe(db)
  return {
    db,
    writes,
    redis,
    eventReader,
    /** Whether each is healthy; never reject, and resolve within half a second. */
    probes: {
      postgres: storeProbe('PostgreSQL', writes.ping),
      // A full Redis answers a ping and refuses writes, so the probe writes.
      redis: storeProbe('Redis', async () => {
        const keys = await redis.onePerNode(PROBE_KEYS)
        await Promise.all(
          keys.map((key) => redis.set(key, '1', { expiration: { type: 'EX', value: PROBE_S } })),
        )
      }),
    },
    part: storesPart({
      log,
      redis: [redis, eventReader],
      check: () => databaseProblem(db),
      close: () => db.close(),
    }),
  }
}
