import { randomUUID } from 'node:crypto'
import { SHARD_COUNT } from '@palanquin/domain/ids'
import type { Redis } from '@palanquin/service/redis'
import { defineScript, runScript } from '@palanquin/service/redis-script'
import { callRedis } from './call-redis.ts'
import { epochKey, pointsKey } from './keys.ts'

/**
 * A name for the shard's data from its beginning: when it is another, what was there before is gone. It is written each
 * time: a Redis that cannot write its file takes nothing more, and then it has not written its latest entries either.
 */
const INSPECT = defineScript(`
local life = redis.call('GET', KEYS[1])
local written = '1'
if not life then
  life = ARGV[1]
  redis.call('SET', KEYS[1], life)
elseif redis.pcall('SET', KEYS[1], life).err then written = '0' end
local newest, oldest = '', ''
if redis.call('EXISTS', KEYS[2]) == 1 then
  local info = redis.call('XINFO', 'STREAM', KEYS[2])
  for at = 1, #info, 2 do if info[at] == 'last-generated-id' then newest = info[at + 1] end end
  local head = redis.call('XRANGE', KEYS[2], '-', '+', 'COUNT', 1)
  if head[1] then oldest = head[1][1] end
end
return { life, newest, oldest, written }
`)

/**
 * All shards: their lives in one text, with the nodes of a cluster that hold them, the newest entry ever added to each stream, the oldest that waits in it, and
 * whether all of them take writes.
 */
export type BufferState = {
  epoch: string
  newest: (string | null)[]
  oldest: (string | null)[]
  isWritten: boolean
}

/** Looks at all shards at once, a few microseconds of Redis each. @throws StoreUnavailable */
export async function inspectBuffer(redis: Redis): Promise<BufferState> {
  const replies = await callRedis(
    Promise.all(
      Array.from({ length: SHARD_COUNT }, (_, shard) =>
        runScript(redis, INSPECT, { keys: [epochKey(shard), pointsKey(shard)], args: [randomUUID()] }),
      ),
    ),
  )
  // A replica that took over has the same life, and not the last that its master took.
  const nodes = await Promise.all(replies.map((_, shard) => redis.nodeOf(pointsKey(shard))))
  const states = replies.map((reply) => (Array.isArray(reply) ? reply.map(String) : []))
  return {
    epoch: states.map(([epoch], shard) => `${epoch}${nodes[shard]}`).join(' '),
    newest: states.map(([, newest]) => newest || null),
    oldest: states.map(([, , oldest]) => oldest || null),
    isWritten: states.every(([, , , written]) => written === '1'),
  }
}
