import { shardOf, shardTag } from '@palanquin/domain/ids'
import { withDeadline } from '@palanquin/service/deadline'
import { StoreUnavailable } from '@palanquin/service/http/api-error'
import type { Log } from '@palanquin/service/log'
import type { Redis } from '@palanquin/service/redis'
import type { PhotoStore } from './store.ts'

/** Specification 8: photo count cache, 30 days. */
const COUNT_TTL_MS = 2_592_000_000
const REDIS_DEADLINE_MS = 300
/** Where the drop must succeed: an erasure has ten seconds here, an event handler six. */
const FORGET_DEADLINE_MS = 4_000

/** Writes only while nothing of the shard was dropped since KEYS[2] was read. */
const CACHE = `
if (redis.call('GET', KEYS[2]) or '') ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
return 1`
const DROP = `
redis.call('DEL', KEYS[1])
return redis.call('INCR', KEYS[2])`

/** The photo counts, cached as `{sNN}:photos:<userId>`; `{sNN}:photos` counts the drops of a shard. */
export function photoCounts({
  redis,
  log,
  store,
}: {
  redis: Redis
  log: Log
  store: Pick<PhotoStore, 'count'>
}) {
  const reach = <T>(work: Promise<T>, deadlineMs = REDIS_DEADLINE_MS): Promise<T> =>
    withDeadline(work, { what: 'Redis', deadlineMs })
  const orNull = async <T>(work: Promise<T>): Promise<T | null> => {
    try {
      return await reach(work)
    } catch (error) {
      log.debug(
        { event: 'photo_counts.uncached', reason: String(error) },
        'Photo counts are read without the cache',
      )
      return null
    }
  }
  const dropped = (userId: string) => redis.eval(DROP, { keys: keysOf(userId), arguments: [] })

  return {
    /** @throws StoreUnavailable when the count is not cached and the database is away */
    of: async (userId: string): Promise<number> => {
      const keys = keysOf(userId)
      const seen = await orNull(redis.mGet(keys))
      const [cached, drops] = seen ?? []
      if (cached) return Number(cached)
      const count = await store.count(userId)
      // Zeros are not cached: a client can request a million unknown userIds.
      if (seen && count > 0)
        await orNull(
          redis.eval(CACHE, { keys, arguments: [drops ?? '', String(count), String(COUNT_TTL_MS)] }),
        )
      return count
    },
    /** After a change. A drop that fails is repeated with the change's event. */
    drop: async (userId: string): Promise<void> => {
      await orNull(dropped(userId))
    },
    /** As `drop`; a failure is thrown. @throws StoreUnavailable */
    forget: async (userId: string): Promise<void> => {
      try {
        await reach(dropped(userId), FORGET_DEADLINE_MS)
      } catch (error) {
        throw new StoreUnavailable('cache', error)
      }
    },
  }
}

export type PhotoCounts = ReturnType<typeof photoCounts>

function keysOf(userId: string): [string, string] {
  const tag = shardTag(shardOf(userId))
  return [`${tag}:photos:${userId}`, `${tag}:photos`]
}
