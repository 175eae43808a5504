import { shardOf } from '@palanquin/domain/ids'
import { until } from '@palanquin/testing/until'
import type { ThrowawayStack } from '../src/throwaway-stack.ts'
import { walkerOf } from './load/requests.ts'

const PATIENCE_MS = 120_000

/** Puts so many walkers with consent on the map, as PostgreSQL would have them, and has the map read them in. */
export async function gatherCrowd({ sql, api, running }: ThrowawayStack, walkers: number): Promise<void> {
  const now = new Date().toISOString()
  const rows = Array.from({ length: walkers }, (_, n) => {
    const u = walkerOf(n)
    return {
      u,
      s: shardOf(u),
      lat: 23.4 + (n % 10_007) / 10_007,
      lng: 120.3 + (n % 101) / 1_000,
      d: `Walker ${n}`,
    }
  })
  await sql.unsafe(
    `WITH given AS (
       SELECT * FROM json_to_recordset($1::text::json) AS one(u text, s smallint, lat double precision, lng double precision, d text)
     ), people AS (
       INSERT INTO engagement.participants (user_id, display_name, consent) SELECT u, d, true FROM given
     )
     INSERT INTO tracking.tracks (user_id, shard, version, walked_km, points, checkins, state, last_lat, last_lng, last_at, moved_id, last_seen_at)
     SELECT u, s, 0, 12, 100, 3, '{}', lat, lng, $2::text::timestamptz - interval '1 hour', '1-0', $2::text::timestamptz FROM given`,
    [JSON.stringify(rows), now],
  )
  const { pid } = running().services.map ?? {}
  if (pid === undefined) throw new Error('tracking does not run')
  process.kill(pid, 'SIGTERM')
  await until(() => running().services.map?.pid !== pid, {
    what: 'tracking to be started again',
    timeoutMs: PATIENCE_MS,
  })
  await until(async () => (await shown(api)) === walkers, {
    what: `${walkers} walkers on the map`,
    timeoutMs: PATIENCE_MS,
  })
}

/** How many are on the map; none while it is read in. */
async function shown(api: ThrowawayStack['api']): Promise<number> {
  const { status, body } = await api.get('/data?limit=1')
  if (status !== 200) return 0
  return totalOf(body)
}

function totalOf(body: unknown): number {
  const { data } = (body ?? {}) as { data?: { total?: number } }
  return data?.total ?? 0
}
