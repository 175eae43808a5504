import { shardOf } from '@palanquin/domain/ids'
import type { Stores } from './harness.ts'

/** Stores participants with consent and a position, as a flush leaves them. */
export async function storeSampleData({ sql }: Stores, count: number): Promise<void> {
  const rows = Array.from({ length: count }, (_, n) => {
    const u = `crowd-${n}`
    return {
      u,
      s: shardOf(u),
      d: `Participant ${n}`,
      lat: 23.4 + (n % 10_007) / 10_007,
      lng: 120.3 + (n % 101) / 1_000,
    }
  })
  await sql`
    WITH given AS (
      SELECT * FROM json_to_recordset(${JSON.stringify(rows)}::text::json)
        AS one(u text, s smallint, lat double precision, lng double precision, d text)
    ), registered AS (
      INSERT INTO engagement.participants (user_id, display_name, consent) SELECT u, d, true FROM given
    )
    INSERT INTO tracking.tracks (user_id, shard, version, walked_km, points, checkins, state, last_lat, last_lng, last_at, moved_id, last_seen_at)
    SELECT u, s, 0, 12, 100, 3, '{}', lat, lng, now() - interval '1 hour', '1-0', now() FROM given`
}
