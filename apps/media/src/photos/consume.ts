import type { DomainEvent } from '@palanquin/domain/events'
import type { PhotoCounts } from './counts.ts'

/**
 * Handler of this service's own `photos.changed`: the drop that Redis missed when the photo came, while it was away.
 * @throws StoreUnavailable: the event comes again
 */
export const dropCount =
  (counts: Pick<PhotoCounts, 'forget'>) =>
  ({ data: { userId } }: DomainEvent<'photos.changed'>): Promise<void> =>
    counts.forget(userId)
