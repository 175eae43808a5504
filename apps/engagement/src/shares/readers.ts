import { createHash } from 'node:crypto'
import { SHARE_READERS_MAX } from '@palanquin/domain/share'
import { withDeadline } from '@palanquin/service/deadline'
import type { Log } from '@palanquin/service/log'
import type { Redis } from '@palanquin/service/redis'
import { defineScript, runScript } from '@palanquin/service/redis-script'

/** A page asks every quarter of a minute; who has not asked for so long has closed it. */
const PRESENT_MS = 45_000
const REDIS_DEADLINE_MS = 300

/** The newest ARGV[3] readers of KEYS[1]. An empty ARGV[1] only counts. */
const LOOK = defineScript(`
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - ARGV[2])
if ARGV[1] ~= '' then
  redis.call('ZADD', KEYS[1], now, ARGV[1])
  redis.call('ZREMRANGEBYRANK', KEYS[1], 0, -1 - ARGV[3])
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
end
return redis.call('ZCARD', KEYS[1])`)

const hashOf = (text: string): string => createHash('sha256').update(text).digest('base64url').slice(0, 22)

/** Who looks at which link, as hashes in Redis; while it is away readers are not counted. */
export function shareReaders({
  redis,
  log,
  redisDeadlineMs: deadlineMs = REDIS_DEADLINE_MS,
}: {
  redis: Redis
  log: Log
  redisDeadlineMs?: number | undefined
}) {
  const look = async (token: string, reader: string): Promise<number> => {
    try {
      const args = [reader === '' ? '' : hashOf(reader), String(PRESENT_MS), String(SHARE_READERS_MAX)]
      const keys = [`share:{${hashOf(token)}}`]
      const reply = runScript(redis, LOOK, { keys, args })
      return Number(await withDeadline(reply, { what: 'Redis', deadlineMs }))
    } catch (error) {
      log.debug(
        { event: 'share.readers_uncounted', reason: String(error) },
        'Readers of a link are not counted',
      )
      return 0
    }
  }
  return {
    /** Counts a reader; one more than there are places sends the longest idle one away. */
    note: (token: string, reader: string): Promise<number> => look(token, reader),
    count: (token: string): Promise<number> => look(token, ''),
  }
}

export type ShareReaders = ReturnType<typeof shareReaders>
