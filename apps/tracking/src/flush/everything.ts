import { StoreUnavailable } from '@palanquin/service/http/api-error'
import type { ActivityView } from '../access/activity.ts'
import type { Journal } from '../wal/journal.ts'
import type { Replayer } from '../wal/replay.ts'
import type { Retention } from '../wal/retention.ts'
import type { Flushed } from './flush-shards.ts'
import type { Flusher } from './flusher.ts'

/** What the journal holds is written to Redis within milliseconds, if Redis is there at all. */
const DRAIN_MS_MAX = 10_000

export type EverythingOptions = {
  activity: Pick<ActivityView, 'refresh'>
  retention: Pick<Retention, 'check'>
  journal: Pick<Journal, 'drained'>
  replayer: Pick<Replayer, 'wake'>
  flusher: Pick<Flusher, 'flush'>
}

/**
 * The flush on demand, for the end of the activity: the gates stand first, so that nothing is added behind it; then what
 * was answered but is on disk alone goes to the buffer; then the buffer to PostgreSQL, with every rebuild.
 */
export const flushEverything =
  ({ activity, retention, journal, replayer, flusher }: EverythingOptions) =>
  /** @throws StoreUnavailable when a store is away; nothing is lost then, and the call may be repeated */
  async (): Promise<Flushed> => {
    await activity.refresh()
    // It may come back the next moment, and then what it has lost would not be flushed.
    if (!(await retention.check())) throw new StoreUnavailable('buffer', new Error('Redis is not connected'))
    replayer.wake()
    if (!(await journal.drained(DRAIN_MS_MAX)))
      throw new StoreUnavailable('buffer', new Error('the journal still holds check-ins'))
    return await flusher.flush()
  }
