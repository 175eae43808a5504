import type { Log } from '@palanquin/service/log'
import type { Redis } from '@palanquin/service/redis'
import { lookAtBuffer } from '../buffer/life.ts'
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
  log,
}: {
  journal: Pick<Journal, 'uncovered' | 'pass' | 'hasUnpassed' | 'again' | 'lives'>
  redis: Redis
  /** Who was erased must be known there before anything is replayed. @throws StoreUnavailable */
  restoreMarks: () => Promise<void>
  log: Log
}) {
  let lives: string | null = journal.lives
  let looking: Promise<void> = Promise.resolve()

  const look = async (): Promise<void> => {
    if (!redis.isReady) return
    const uncovered = journal.uncovered() // before the look: what completes during it may lie behind what it sees
    const buffer = await lookAtBuffer(redis)
    if (lives !== null && lives !== buffer.lives) {
      await restoreMarks()
      // What Redis took before it lost everything was answered before this look was: its receipts come first.
      await new Promise<void>((turn) => setImmediate(turn))
      const entries = await journal.again()
      lives = buffer.lives
      log.error({ entries }, 'Redis has come back without its data: it gets it again from the journal')
      return
    }
    lives = buffer.lives
    for (const segment of uncovered) segment.highWater = buffer.newest
    if (journal.hasUnpassed()) journal.pass(buffer.oldest)
  }

  return {
    /** Looks now, after a look that is under way. @throws StoreUnavailable when a store is away; nothing is lost then */
    look: (): Promise<void> => {
      looking = looking.then(ignore, ignore).then(look)
      return looking
    },
    /** By which Redis what the journal holds was taken; null as long as nobody has looked. */
    lives: (): string | null => lives,
  }
}

const ignore = () => {}
