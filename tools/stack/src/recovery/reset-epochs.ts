import { SHARD_COUNT, shardTag } from '@palanquin/domain/ids'
import { RedisClient } from 'bun'

/**
 * Tells the tracking processes that Redis has come back without a part of its data: without the name of its data they
 * bring back all that their journals hold (apps/tracking, buffer/life). What Redis has already counts once by its key.
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
