import type { Log } from '@palanquin/service/log'
import type { Redis } from '@palanquin/service/redis'
import { lookAtBuffer } from '../buffer/epoch.ts'
import type { Journal } from './journal.ts'

export type Safekeeping = ReturnType<typeof keepSafe>

/**
 * Holds what Redis has taken in the journal until it has left the buffer for PostgreSQL, and brings it to Redis again
 * when that has come back without its data. Every process sees to its own journal.
 */
export function keepSafe({
  journal,
  redis,
  restoreMarks,
  now,
  log,
}: {
  journal: Pick<Journal, 'uncovered' | 'settle' | 'pass' | 'hasUnpassed' | 'again' | 'lives'>
  redis: Redis
  /** Who was erased must be known there before anything is replayed. @throws StoreUnavailable */
  restoreMarks: () => Promise<void>
  now: () => number
  log: Log
}) {
  let lives: string | null = journal.lives
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
    const uncovered = journal.uncovered() // before the look: what completes during it may lie behind what it sees
    const buffer = await lookAtBuffer(redis)
    isWritten = buffer.isWritten
    // What Redis took before it was lost was answered before this look was: its receipts come first.
    await new Promise<void>((turn) => setImmediate(turn))
    if (lives !== null && lives !== buffer.lives) {
      await restoreMarks()
      const entries = await journal.again()
      lives = buffer.lives
      wasAway = false
      log.error({ entries }, 'Redis has come back without its data: it gets it again from the journal')
      return true
    }
    lives = buffer.lives
    if (wasAway) {
      wasAway = false
      const entries = await journal.again('unsettled')
      if (entries > 0)
        log.info({ entries }, 'Redis was away: it gets its latest entries again from the journal')
      return true
    }
    if (isWritten) journal.settle(began)
    for (const segment of uncovered) segment.highWater = buffer.newest
    if (journal.hasUnpassed()) journal.pass(buffer.oldest)
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
    lives: (): string | null => (isWritten && !wasAway ? lives : null),
  }
}

const ignore = () => {}
