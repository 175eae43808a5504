import type { Log } from '@palanquin/service/log'
import type { Redis } from '@palanquin/service/redis'
import { inspectBuffer } from '../buffer/epoch.ts'
import type { Journal } from './journal.ts'

export type Retention = ReturnType<typeof createRetention>

/**
 * Holds what Redis has taken in the journal until it has left the buffer for PostgreSQL, and brings it to Redis again
 * when that has come back without its data. Every process sees to its own journal.
 */
export function createRetention({
  journal,
  redis,
  restoreTokens,
  now,
  log,
}: {
  journal: Pick<
    Journal,
    'withoutHighWater' | 'markPersisted' | 'markFlushed' | 'hasUnflushed' | 'requeue' | 'epoch'
  >
  redis: Redis
  /** Who was erased must be known there before anything is replayed. @throws StoreUnavailable */
  restoreTokens: () => Promise<void>
  now: () => number
  log: Log
}) {
  let epoch: string | null = journal.epoch
  let looking: Promise<unknown> = Promise.resolve()
  let isWritten = false
  let isConnected = redis.isReady
  let wasAway = false
  redis.on('ready', () => {
    wasAway ||= isConnected
    isConnected = true
  })

  const look = async (): Promise<boolean> => {
    isWritten = false
    if (!redis.isReady) return false
    const began = now()
    const withoutHighWater = journal.withoutHighWater() // before the look: what completes during it may lie behind what it sees
    const buffer = await inspectBuffer(redis)
    isWritten = buffer.isWritten
    // What Redis took before it was lost was answered before this look was: its receipts come first.
    await new Promise<void>((turn) => setImmediate(turn))
    if (epoch !== null && epoch !== buffer.epoch) {
      await restoreTokens()
      const entries = await journal.requeue()
      epoch = buffer.epoch
      wasAway = false
      log.error({ entries }, 'Redis has come back without its data: it gets it again from the journal')
      return true
    }
    epoch = buffer.epoch
    if (wasAway) {
      wasAway = false
      const entries = await journal.requeue('unsettled')
      if (entries > 0)
        log.info({ entries }, 'Redis was away: it gets its latest entries again from the journal')
      return true
    }
    if (isWritten) journal.markPersisted(began)
    for (const segment of withoutHighWater) segment.highWater = buffer.newest
    if (journal.hasUnflushed()) journal.markFlushed(buffer.oldest)
    return true
  }

  return {
    /**
     * Looks now, after a look that is under way; false when Redis is not connected.
     * @throws StoreUnavailable when a store is away; nothing is lost then
     */
    look: (): Promise<boolean> => {
      const next = looking.then(ignore, ignore).then(look)
      looking = next
      return next
    },
    /** By which Redis what the journal holds was taken, and written down; null when the last look could not tell. */
    epoch: (): string | null => (isWritten && !wasAway ? epoch : null),
  }
}

const ignore = () => {}
