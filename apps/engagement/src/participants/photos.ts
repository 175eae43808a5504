import type { DomainEvent } from '@palanquin/domain/events'
import type { StatisticsCache } from './statistics-cache.ts'

/** Handler of `photos.changed`: drops the cached profile, which shows the number of photos. */
export const dropStatistics =
  (cache: Pick<StatisticsCache, 'drop'>) =>
  ({ data: { userId } }: DomainEvent<'photos.changed'>): Promise<void> =>
    cache.drop(userId)
