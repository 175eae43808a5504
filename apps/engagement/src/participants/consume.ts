import type { Database } from '@palanquin/db/client'
import type { DomainEvent } from '@palanquin/domain/events'

/**
 * A row for everybody of whom points arrived: contract section 2, a write that names an unknown userId creates the
 * participant. `updated_at` is when they were last seen, not when this was told. Repeating it adds nothing, so no
 * row in `processed_events` is needed. In one order, so that two processes never wait for each other's rows.
 */
const CREATE = `
INSERT INTO engagement.participants (user_id, updated_at)
SELECT user_id, least(now(), coalesce(nullif(seen_at, '')::timestamptz, now()))
FROM unnest($1::text[], $2::text[]) AS seen (user_id, seen_at)
ORDER BY user_id
ON CONFLICT (user_id) DO NOTHING`

/** Handler of `track.advanced`. @throws StoreUnavailable: the event comes again */
export const createWalkers =
  (db: Database) =>
  async ({ data: { participants } }: DomainEvent<'track.advanced'>): Promise<void> => {
    await db.query(CREATE, [
      participants.map(({ userId }) => userId),
      participants.map(({ lastRecordedAt }) => lastRecordedAt ?? ''),
    ])
  }
