import { randomUUID } from 'node:crypto'
import { SHARD_COUNT } from '@palanquin/domain/ids'
import type { Redis } from '@palanquin/service/redis'
import { lifeKey, pointsKey } from './keys.ts'
import { reachRedis } from './reach.ts'
import { defineScript, runScript } from './script.ts'

/** A name for the shard's data from its beginning: when it is another, what was there before is gone. */
const LOOK = defineScript(`
local life = redis.call('GET', KEYS[1])
if not life then
  life = ARGV[1]
  redis.call('SET', KEYS[1], life)
end
local newest, oldest = '', ''
if redis.call('EXISTS', KEYS[2]) == 1 then
  local info = redis.call('XINFO', 'STREAM', KEYS[2])
  for at = 1, #info, 2 do if info[at] == 'last-generated-id' then newest = info[at + 1] end end
  local head = redis.call('XRANGE', KEYS[2], '-', '+', 'COUNT', 1)
  if head[1] then oldest = head[1][1] end
end
return { life, newest, oldest }
`)

/** All shards: their lives in one text, the newest entry ever added to each stream, the oldest that waits in it. */
export type BufferLook = { lives: string; newest: (string | null)[]; oldest: (string | null)[] }

/** Looks at all shards at once, a few microseconds of Redis each. @throws StoreUnavailable */
export async function lookAtBuffer(redis: Redis): Promise<BufferLook> {
  const replies = await reachRedis(
    Promise.all(
      Array.from({ length: SHARD_COUNT }, (_, shard) =>
        runScript(redis, LOOK, { keys: [lifeKey(shard), pointsKey(shard)], args: [randomUUID()] }),
      ),
    ),
  )
  const looks = replies.map((reply) => (Array.isArray(reply) ? reply.map(String) : []))
  return {
    lives: looks.map(([life]) => life).join(' '),
    newest: looks.map(([, newest]) => newest || null),
    oldest: looks.map(([, , oldest]) => oldest || null),
  }
}
