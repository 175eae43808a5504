import { shardOf } from '@palanquin/domain/ids'
import type { Stand } from './stand.ts'

/** What a flush leaves of a participant's check-ins. */
export const storeCheckins = async ({ sql }: Pick<Stand, 'sql'>, userId: string, checkins: number) => {
  await sql`
    INSERT INTO tracking.tracks (user_id, shard, version, checkins, points, state, last_seen_at)
    VALUES (${userId}, ${shardOf(userId)}, 1, ${checkins}, ${checkins}, '{}', now())
    ON CONFLICT (user_id) DO UPDATE SET checkins = excluded.checkins`
}
