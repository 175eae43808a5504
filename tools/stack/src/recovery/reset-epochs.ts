import { SHARD_COUNT, shardTag } from '@palanquin/domain/ids'
import { RedisClient } from 'bun'

/**
 * Makes tracking aware that Redis lost part of its data: without their epoch, the tracking processes replay
 * all that their journals hold (apps/tracking, buffer/epoch). Points that Redis still has are idempotent by
 * their key.
 */
export async function resetEpochs(redisUrl: string): Promise<void> {
  const client = new RedisClient(redisUrl, { autoReconnect: false, maxRetries: 0 })
  try {
    await client.connect()
    const keys = Array.from({ length: SHARD_COUNT }, (_, shard) => `${shardTag(shard)}:life`)
    await client.send('DEL', keys)
  } finally {
    client.close()
  }
}
