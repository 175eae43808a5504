import { openRedis } from '@palanquin/backup/streams'
import { SHARD_COUNT, shardTag } from '@palanquin/domain/ids'
import type { ThrowawayStack } from '@palanquin/stack/testing/throwaway-stack'

/** MEMORY USAGE looks at every node of a stream, not at the first five. */
const EVERY_NODE = 0

export type Sizes = { redisBytes: number; diskBytes: number; walBytes: number }

/** The size of the waiting points in Redis, and of PostgreSQL, and how much that has written to its log. */
export async function sizesOf({ running, sql }: ThrowawayStack): Promise<Sizes> {
  const [row] = await sql<{ disk: number; wal: number }[]>`
    SELECT pg_database_size(current_database())::float8 AS disk,
           pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 AS wal`
  return {
    redisBytes: await bytesOfWaitingPoints(running().redisUrl),
    diskBytes: row?.disk ?? 0,
    walBytes: row?.wal ?? 0,
  }
}

/** Of the points' streams alone: caches and limits that expire meanwhile would take more away than points add. */
async function bytesOfWaitingPoints(url: string): Promise<number> {
  const redis = await openRedis(url)
  try {
    const sizes = await Promise.all(
      Array.from({ length: SHARD_COUNT }, (_, shard) =>
        redis.memoryUsage(`${shardTag(shard)}:points`, { SAMPLES: EVERY_NODE }),
      ),
    )
    return sizes.reduce<number>((all, bytes) => all + (bytes ?? 0), 0)
  } finally {
    redis.destroy()
  }
}
