import { shardOf } from '@palanquin/domain/ids'
import type { Redis } from '@palanquin/service/redis'
import { defineScript, runScript } from '@palanquin/service/redis-script'
import { callRedis } from './call-redis.ts'
import { ENTRY_FIELD, entryText, type Tuple } from './entry.ts'
import { countKey, erasedKey, pointsKey, waitingKey } from './keys.ts'

/** An answered sync, as the journal keeps it. */
export type AcceptedSync = {
  userId: string
  source: string
  /** Epoch ms. */
  receivedAt: number
} & ({ packed: string; count: number } | { points: readonly Tuple[] })

/** Does not check whether the activity is open: this sync was accepted. The keys of its points make repeats count once. */
const REPLAY_SYNC = defineScript(`
local erasedAt = redis.call('HGET', KEYS[4], ARGV[5])
if erasedAt and tonumber(ARGV[3]) <= tonumber(erasedAt) then return 'erased' end
redis.call('XADD', KEYS[1], '*', '${ENTRY_FIELD}', ARGV[2])
redis.call('INCRBY', KEYS[2], ARGV[4])
redis.call('SADD', KEYS[3], ARGV[1])
return 'appended'
`)

/**
 * Puts a sync into the buffer again, unless its sender (`token`: the erasure token) was erased meanwhile.
 * @throws StoreUnavailable when Redis is away, late or full; trying again is safe
 */
export async function replaySync(
  redis: Redis,
  sync: AcceptedSync,
  { token, deadlineMs }: { token: string; deadlineMs: number },
): Promise<void> {
  const { userId, source, receivedAt } = sync
  const shard = shardOf(userId)
  const { packed, count } = pointsOf(sync)
  const entry = entryText({ userId, kind: 'track', source, receivedAt, count, packed })
  await callRedis(
    runScript(redis, REPLAY_SYNC, {
      keys: [pointsKey(shard), countKey(shard), waitingKey(shard), erasedKey(shard)],
      args: [userId, entry, String(receivedAt), String(count), token],
    }),
    deadlineMs,
  )
}

/** As its entry holds them. Lines of earlier versions have a list of points. */
const pointsOf = (sync: AcceptedSync): { packed: string; count: number } =>
  'packed' in sync ? sync : { packed: JSON.stringify(sync.points), count: sync.points.length }
