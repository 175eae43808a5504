import { StoreUnavailable } from '@palanquin/service/http/api-error'
import type { ActivityView } from '../access/activity.ts'
import type { Journal } from '../journal/journal.ts'
import type { RedisWatch } from '../journal/redis-loss.ts'
import type { Replayer } from '../journal/replay.ts'
import type { Flushed } from './flush-shards.ts'
import type { Flusher } from './flusher.ts'

/** The journal is replayed within milliseconds if Redis is there. */
const DRAIN_MS_MAX = 10_000

export type EverythingOptions = {
  activity: Pick<ActivityView, 'refresh'>
  redisWatch: Pick<RedisWatch, 'check'>
  journal: Pick<Journal, 'drained'>
  replayer: Pick<Replayer, 'wake'>
  flusher: Pick<Flusher, 'flush'>
}

/**
 * The flush on demand, for the end of the activity and, gently, for a backup. First the closed flags are set, so that nothing is added after it; then
 * the journal is replayed to the buffer; then the buffer is flushed to PostgreSQL, with every rebuild.
 */
export const flushEverything =
  ({ activity, redisWatch, journal, replayer, flusher }: EverythingOptions) =>
  /** @throws StoreUnavailable when a store is away; nothing is lost then, and the call may be repeated */
  async ({ gently = false }: { gently?: boolean } = {}): Promise<Flushed> => {
    await activity.refresh()
    // Redis may come back right after, and what it lost would not be flushed.
    if (!(await redisWatch.check())) throw new StoreUnavailable('buffer', new Error('Redis is not connected'))
    replayer.wake()
    if (!(await journal.drained(DRAIN_MS_MAX)))
      throw new StoreUnavailable('buffer', new Error('the journal still holds check-ins'))
    return await flusher.flush({ gently })
  }
