import { openRedis } from '@palanquin/backup/streams'
import type { ThrowawayStack } from '@palanquin/stack/testing/throwaway-stack'

export type Sizes = { redisBytes: number; diskBytes: number; walBytes: number }

/** The size of the stores, and how much PostgreSQL has written to its log. */
export async function sizesOf({ running, sql }: ThrowawayStack): Promise<Sizes> {
  const redis = await openRedis(running().redisUrl)
  try {
    const memory = /used_memory:(\d+)/.exec(await redis.info('memory'))?.[1]
    const [row] = await sql<{ disk: number; wal: number }[]>`
      SELECT pg_database_size(current_database())::float8 AS disk,
             pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 AS wal`
    return { redisBytes: Number(memory), diskBytes: row?.disk ?? 0, walBytes: row?.wal ?? 0 }
  } finally {
    redis.destroy()
  }
}
