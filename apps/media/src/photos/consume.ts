import type { DomainEvent } from '@palanquin/domain/events'
import type { PhotoCounts } from './counts.ts'

/**
 * Handler of this service's own `photos.changed`: drops a cached count that could not be dropped while Redis was away.
 * @throws StoreUnavailable: the event is delivered again
 */
export const dropCount =
  (counts: Pick<PhotoCounts, 'forget'>) =>
  ({ data: { userId } }: DomainEvent<'photos.changed'>): Promise<void> =>
    counts.forget(userId)
