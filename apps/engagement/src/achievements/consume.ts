import { ACHIEVEMENT_CHECKINS_MIN } from '@palanquin/domain/achievement'
import type { DomainEvent } from '@palanquin/domain/events'
import type { Achievements } from './unlock.ts'

/**
 * Handlers of what may bring the last of the three conditions. Unlocking is once for each participant by itself, so
 * events may come again, in any order and to several processes: no row in `processed_events` is needed.
 * @throws StoreUnavailable: the event comes again
 */
export const unlockingHandlers = ({ unlock }: Pick<Achievements, 'unlock'>) => ({
  /** A flush stored check-ins. */
  'track.advanced': async ({ data }: DomainEvent<'track.advanced'>): Promise<void> => {
    const enough = data.participants.filter(({ checkins }) => checkins >= ACHIEVEMENT_CHECKINS_MIN)
    if (enough.length > 0) await unlock(enough.map(({ userId }) => userId))
  },
  /** A survey or a phone number was stored, and the process may have died before it looked at the other conditions. */
  'participant.changed': async ({ data }: DomainEvent<'participant.changed'>): Promise<void> => {
    await unlock([data.userId])
  },
})
