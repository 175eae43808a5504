import { ACHIEVEMENT_CHECKINS_MIN } from '@palanquin/domain/achievement'
import type { DomainEvent } from '@palanquin/domain/events'
import type { Achievements } from './unlock.ts'

/** Handlers of events that may bring the last condition; unlocking is idempotent. @throws StoreUnavailable */
export const unlockingHandlers = ({ unlock }: Pick<Achievements, 'unlock'>) => ({
  /** A flush stored check-ins. */
  'track.advanced': async ({ data }: DomainEvent<'track.advanced'>): Promise<void> => {
    const enough = data.participants.filter(({ checkins }) => checkins >= ACHIEVEMENT_CHECKINS_MIN)
    if (enough.length > 0) await unlock(enough.map(({ userId }) => userId))
  },
  /** The process that stored a survey or a phone number may have died before it unlocked. */
  'participant.changed': async ({ data }: DomainEvent<'participant.changed'>): Promise<void> => {
    await unlock([data.userId])
  },
})
