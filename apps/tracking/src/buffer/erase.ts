import { shardOf } from '@palanquin/domain/ids'
import type { Redis } from '@palanquin/service/redis'
import { pendingKey, recentKey, waitingKey } from './keys.ts'
import { reachRedis } from './reach.ts'

/** Forgets a participant's own keys; duplicate keys go by themselves within minutes. @throws StoreUnavailable */
export async function eraseBuffered(redis: Redis, userId: string): Promise<void> {
  await reachRedis(
    redis
      .multi()
      .del([pendingKey(userId), recentKey(userId)])
      .sRem(waitingKey(shardOf(userId)), userId)
      .exec(),
  )
}
