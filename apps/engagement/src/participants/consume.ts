import type { Database } from '@palanquin/db/client'
import type { DomainEvent } from '@palanquin/domain/events'
import { REGISTER } from './sql.ts'
import type { StatisticsCache } from './statistics-cache.ts'

/** Handler of `track.advanced`. @throws StoreUnavailable: the event is redelivered */
export const registerParticipants =
  (db: Database) =>
  async ({ data: { participants } }: DomainEvent<'track.advanced'>): Promise<void> => {
    await db.query(REGISTER, [
      participants.map(({ userId }) => userId),
      participants.map(({ lastRecordedAt }) => lastRecordedAt ?? ''),
    ])
  }

/** Handler of `photos.changed`: drops the cached profile, which shows the number of photos. */
export const dropStatistics =
  (cache: Pick<StatisticsCache, 'drop'>) =>
  ({ data: { userId } }: DomainEvent<'photos.changed'>): Promise<void> =>
    cache.drop(userId)
