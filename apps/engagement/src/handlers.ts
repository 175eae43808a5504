import type { Database } from '@palanquin/db/client'
import type { EventHandlers } from '@palanquin/events/delivery'
import { unlockingHandlers } from './achievements/consume.ts'
import type { Achievements } from './achievements/unlock.ts'
import { auditActions } from './audit/consume.ts'
import { dropStatistics, registerParticipants } from './participants/consume.ts'
import type { StatisticsCache } from './participants/statistics-cache.ts'

/** Handlers of this service by type of event. */
export function handlersOf({
  db,
  achievements,
  cache,
}: {
  db: Database
  achievements: Achievements
  cache: Pick<StatisticsCache, 'drop'>
}): EventHandlers {
  const register = registerParticipants(db)
  const unlocking = unlockingHandlers(achievements)
  return {
    'track.advanced': async (event) => {
      await register(event)
      await unlocking['track.advanced'](event)
    },
    'participant.changed': unlocking['participant.changed'],
    'photos.changed': dropStatistics(cache),
    'admin.acted': auditActions(db),
  }
}
