import { randomUUID } from 'node:crypto'
import { SHARD_COUNT } from '@palanquin/domain/ids'
import type { Redis } from '@palanquin/service/redis'
import { defineScript, runScript } from '@palanquin/service/redis-script'
import { callRedis } from './call-redis.ts'
import { epochKey, pointsKey } from './keys.ts'

/**
 * The epoch of a shard's data: when it differs, the data from before is lost. It is written each time, because a Redis
 * that cannot write its file refuses writes, and then it has not written its latest entries either.
 */
const INSPECT = defineScript(`
local epoch = redis.call('GET', KEYS[1])
local written = '1'
if not epoch then
  epoch = ARGV[1]
  redis.call('SET', KEYS[1], epoch)
elseif redis.pcall('SET', KEYS[1], epoch).err then written = '0' end
local newest, oldest = '', ''
if redis.call('EXISTS', KEYS[2]) == 1 then
  local info = redis.call('XINFO', 'STREAM', KEYS[2])
  for at = 1, #info, 2 do if info[at] == 'last-generated-id' then newest = info[at + 1] end end
  local head = redis.call('XRANGE', KEYS[2], '-', '+', 'COUNT', 1)
  if head[1] then oldest = head[1][1] end
end
return { epoch, newest, oldest, written }
`)

export type BufferState = {
  /** The epochs of all shards, with the nodes of a cluster that hold them. */
  epoch: string
  /** The newest entry ever added to each stream. */
  newest: (string | null)[]
  /** The oldest entry in each stream. */
  oldest: (string | null)[]
  /** Whether all shards accept writes. */
  isWritten: boolean
}

/** Inspects all shards, a few microseconds of Redis each. @throws StoreUnavailable */
export async function inspectBuffer(redis: Redis): Promise<BufferState> {
  const replies = await callRedis(
    Promise.all(
      Array.from({ length: SHARD_COUNT }, (_, shard) =>
        runScript(redis, INSPECT, { keys: [epochKey(shard), pointsKey(shard)], args: [randomUUID()] }),
      ),
    ),
  )
  // A replica that took over has the same epoch, without the last entries of its master.
  const nodes = await Promise.all(replies.map((_, shard) => redis.nodeOf(pointsKey(shard))))
  const states = replies.map((reply) => (Array.isArray(reply) ? reply.map(String) : []))
  return {
    epoch: states.map(([epoch], shard) => `${epoch}${nodes[shard]}`).join(' '),
    newest: states.map(([, newest]) => newest || null),
    oldest: states.map(([, , oldest]) => oldest || null),
    isWritten: states.every(([, , , written]) => written === '1'),
  }
}
