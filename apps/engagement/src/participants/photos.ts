import type { DomainEvent } from '@palanquin/domain/events'
import type { StatisticsCache } from './statistics-cache.ts'

/** Handler of `photos.changed`: the profile shows how many photos there are, so the cached one has had its day. */
export const dropStatistics =
  (cache: Pick<StatisticsCache, 'drop'>) =>
  ({ data: { userId } }: DomainEvent<'photos.changed'>): Promise<void> =>
    cache.drop(userId)
