import { SHARD_COUNT } from '@palanquin/domain/ids'
import type { Redis } from '@palanquin/service/redis'
import { callRedis } from './call-redis.ts'
import { countKey } from './keys.ts'

const READ_DEADLINE_MS = 300

/** Points in the buffer; null when Redis is away. */
export async function bufferedPoints(redis: Redis): Promise<number | null> {
  if (!redis.isReady) return null
  return countPoints(redis, READ_DEADLINE_MS).catch(() => null)
}

/** Points in the buffer. @throws StoreUnavailable */
export async function countPoints(redis: Redis, deadlineMs?: number): Promise<number> {
  const keys = Array.from({ length: SHARD_COUNT }, (_, shard) => countKey(shard))
  // One GET a shard: on a cluster they live on several nodes. They travel in one pipeline.
  const counts = await callRedis(Promise.all(keys.map((key) => redis.get(key))), deadlineMs)
  return counts.reduce((sum, count) => sum + Math.max(0, Number(count ?? 0)), 0)
}
