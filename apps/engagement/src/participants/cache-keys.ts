import { SHARD_COUNT, shardOf, shardTag } from '@palanquin/domain/ids'

const statisticsKey = (tag: string, userId: string) => `${tag}:stats:${userId}`
const pendingKey = (tag: string, userId: string) => `${tag}:pending:${userId}`
const flushedKey = (tag: string) => `${tag}:flushed`

/** Keys of a participant and its shard; tracking writes `waiting`. */
export function keysOf(userId: string) {
  const tag = shardTag(shardOf(userId))
  return { statistics: statisticsKey(tag, userId), waiting: `${tag}:waiting`, erasures: `${tag}:erasures` }
}

/**
 * Keys of many participants, each in the place of its participant, and those of their shards once each: `flushedOf` says
 * which one is a participant's. Tracking writes `pending` and `flushed`.
 */
export function keysOfMany(userIds: readonly string[]) {
  const statistics: string[] = []
  const pending: string[] = []
  const flushed: string[] = []
  const flushedOf: number[] = []
  const placeOf = new Array<number | undefined>(SHARD_COUNT)
  for (const userId of userIds) {
    const shard = shardOf(userId)
    const tag = shardTag(shard)
    statistics.push(statisticsKey(tag, userId))
    pending.push(pendingKey(tag, userId))
    const place = placeOf[shard] ?? flushed.push(flushedKey(tag)) - 1
    placeOf[shard] = place
    flushedOf.push(place)
  }
  return { statistics, pending, flushed, flushedOf }
}
