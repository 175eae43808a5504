import type { Database } from '@palanquin/db/client'
import type { DomainEvent } from '@palanquin/domain/events'

/**
 * A row for everybody of whom points arrived: contract section 2, a write that names an unknown userId creates the
 * participant. `updated_at` is when they were last seen, not when this was told. Repeating it adds nothing, so no
 * row in `processed_events` is needed. In one order, so that two processes never wait for each other's rows.
 * Who is new needs a track, and it is held while this is written: whoever was erased since the event has none any more,
 * and an erasure under way waits, to find the row that this makes.
 */
const CREATE = `
WITH seen AS (
  SELECT user_id, nullif(seen_at, '')::timestamptz AS seen_at FROM unnest($1::text[], $2::text[]) AS list (user_id, seen_at)
), walkers AS (
  SELECT track.user_id, seen.seen_at FROM seen JOIN tracking.tracks AS track ON track.user_id = seen.user_id
   WHERE NOT EXISTS (SELECT FROM engagement.participants AS known WHERE known.user_id = seen.user_id)
   ORDER BY track.user_id FOR KEY SHARE OF track
)
INSERT INTO engagement.participants (user_id, updated_at)
SELECT user_id, least(now(), coalesce(seen_at, now())) FROM walkers
ON CONFLICT (user_id) DO NOTHING`

/** Handler of `track.advanced`. @throws StoreUnavailable: the event comes again */
export const createParticipants =
  (db: Database) =>
  async ({ data: { participants } }: DomainEvent<'track.advanced'>): Promise<void> => {
    await db.query(CREATE, [
      participants.map(({ userId }) => userId),
      participants.map(({ lastRecordedAt }) => lastRecordedAt ?? ''),
    ])
  }
