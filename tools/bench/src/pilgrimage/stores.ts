import { openRedis } from '@palanquin/backup/streams'
import type { ThrowawayStack } from '@palanquin/stack/testing/throwaway-stack'

export type Sizes = { redisBytes: number; diskBytes: number; walBytes: number }

/** The size of the stores, and how much PostgreSQL has written to its log. */
export async function sizesOf({ running, sql }: ThrowawayStack): Promise<Sizes> {
  const redisBytes = await Promise.all(running().redisUrl.split(',').map(memoryOfNode))
  const [row] = await sql<{ disk: number; wal: number }[]>`
    SELECT pg_database_size(current_database())::float8 AS disk,
           pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 AS wal`
  return {
    redisBytes: redisBytes.reduce((all, bytes) => all + bytes, 0),
    diskBytes: row?.disk ?? 0,
    walBytes: row?.wal ?? 0,
  }
}

async function memoryOfNode(url: string): Promise<number> {
  const redis = await openRedis(url)
  try {
    return Number(/used_memory:(\d+)/.exec(await redis.info('memory'))?.[1])
  } finally {
    redis.destroy()
  }
}
