import type { Redis } from '@palanquin/service/redis'
import { pendingKey, recentKey } from './keys.ts'
import { reachRedis } from './reach.ts'

/** Forgets a participant's own keys; duplicate keys go by themselves within minutes. @throws StoreUnavailable */
export async function eraseBuffered(redis: Redis, userId: string): Promise<void> {
  await reachRedis(redis.del([pendingKey(userId), recentKey(userId)]))
}
