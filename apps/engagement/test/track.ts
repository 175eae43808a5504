import { randomUUID } from 'node:crypto'
import { shardOf } from '@palanquin/domain/ids'
import { keysOf, type TestService } from './service.ts'

/** What a flush leaves of a participant's check-ins, in PostgreSQL and in Redis. */
export const storeCheckins = async (
  { sql, redis }: Pick<TestService, 'sql' | 'redis'>,
  userId: string,
  checkins: number,
) => {
  await sql`
    INSERT INTO tracking.tracks (user_id, shard, version, checkins, points, state, last_seen_at)
    VALUES (${userId}, ${shardOf(userId)}, 1, ${checkins}, ${checkins}, '{}', now())
    ON CONFLICT (user_id) DO UPDATE SET checkins = excluded.checkins`
  await redis.set(keysOf(userId).flushed, randomUUID())
}
