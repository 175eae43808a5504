import type { Database } from '@palanquin/db/client'
import type { DomainEvent } from '@palanquin/domain/events'
import type { StatisticsCache } from './statistics-cache.ts'

/**
 * Creates rows for participants with points (contract section 2), idempotent, in one order against deadlocks.
 * The track is locked: an erased participant has none, and a concurrent erasure waits and then finds the new row.
 * `updated_at` is when the participant was last seen, not when the event came.
 */
const CREATE = `
WITH seen AS (
  SELECT user_id, nullif(seen_at, '')::timestamptz AS seen_at FROM unnest($1::text[], $2::text[]) AS list (user_id, seen_at)
), unregistered AS (
  SELECT track.user_id, seen.seen_at FROM seen JOIN tracking.tracks AS track ON track.user_id = seen.user_id
   WHERE NOT EXISTS (SELECT FROM engagement.participants AS known WHERE known.user_id = seen.user_id)
   ORDER BY track.user_id FOR KEY SHARE OF track
)
INSERT INTO engagement.participants (user_id, updated_at)
SELECT user_id, least(now(), coalesce(seen_at, now())) FROM unregistered
ON CONFLICT (user_id) DO NOTHING`

/** Handler of `track.advanced`. @throws StoreUnavailable: the event is redelivered */
export const createParticipants =
  (db: Database) =>
  async ({ data: { participants } }: DomainEvent<'track.advanced'>): Promise<void> => {
    await db.query(CREATE, [
      participants.map(({ userId }) => userId),
      participants.map(({ lastRecordedAt }) => lastRecordedAt ?? ''),
    ])
  }

/** Handler of `photos.changed`: drops the cached profile, which shows the number of photos. */
export const dropStatistics =
  (cache: Pick<StatisticsCache, 'drop'>) =>
  ({ data: { userId } }: DomainEvent<'photos.changed'>): Promise<void> =>
    cache.drop(userId)
