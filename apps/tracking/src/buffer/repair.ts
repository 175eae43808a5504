import type { Redis } from '@palanquin/service/redis'
import { defineScript, runScript } from '@palanquin/service/redis-script'
import { callRedis } from './call-redis.ts'
import { HEAD_OF_ENTRY, KIND_LETTER } from './entry.ts'
import { BEFORE_ALL } from './entry-id.ts'
import { countKey, flushedKey, pendingPrefix, pointsKey, waitingKey } from './keys.ts'

/**
 * Checks that Redis still has what the last flush wrote, and restores the keys that follow from the stream: the count,
 * pending check-ins and waiting participants. Normally it reads two keys and does nothing.
 */
const REPAIR = defineScript(`${HEAD_OF_ENTRY}
if redis.call('EXISTS', KEYS[1]) == 1 and redis.call('EXISTS', KEYS[2]) == 0 then
  local points = 0
  local pending = {}
  for _, entry in ipairs(redis.call('XRANGE', KEYS[1], '-', '+')) do
    local user, kind, number, recordedAt = headOf(entry[2])
    points = points + (tonumber(number) or 0)
    if user then redis.call('SADD', KEYS[4], user) end
    if user and kind == '${KIND_LETTER.checkin}' then
      local key = ARGV[1] .. user
      if not pending[key] then redis.call('DEL', key) end
      pending[key] = true
      if tonumber(recordedAt) then redis.call('RPUSH', key, entry[1] .. '|' .. recordedAt) end
    end
  end
  redis.call('SET', KEYS[2], points)
end
if ARGV[2] == '' or redis.call('EXISTS', KEYS[3]) == 1 then return 'kept' end
redis.call('SET', KEYS[3], ARGV[2])
return 'emptied'
`)

/**
 * Restores a shard's derived keys. `emptied` when Redis has come back without what the last flush left there: the journals
 * replay what was in the buffer. @throws StoreUnavailable
 */
export async function repairShard(
  redis: Redis,
  { shard, cursor, version }: { shard: number; cursor: string; version: number },
): Promise<'kept' | 'emptied'> {
  const reply = await callRedis(
    runScript(redis, REPAIR, {
      keys: [pointsKey(shard), countKey(shard), flushedKey(shard), waitingKey(shard)],
      args: [pendingPrefix(shard), cursor === BEFORE_ALL ? '' : `${cursor}|${version}`],
    }),
  )
  return reply === 'emptied' ? 'emptied' : 'kept'
}
