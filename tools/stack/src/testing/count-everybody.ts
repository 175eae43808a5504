import { until } from '@palanquin/testing/until'
import type { ThrowawayStack } from './throwaway-stack.ts'

/** Has the density count who has come so far, as if their first points had arrived a quarter of an hour ago. */
export async function countEverybody({ api, sql }: Pick<ThrowawayStack, 'api' | 'sql'>): Promise<void> {
  await until(async () => (await api.health()).buffer_size === 0, { what: 'all points are stored' })
  await sql`
    WITH moved AS (UPDATE tracking.flush_cursors SET version = version + 1 RETURNING shard, version)
    UPDATE tracking.tracks SET first_at = now() - interval '15 minutes', version = moved.version
      FROM moved WHERE tracks.shard = moved.shard`
}
