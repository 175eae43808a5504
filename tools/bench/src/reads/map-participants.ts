import { emptyTrack } from '@palanquin/domain/distance'
import type { Place } from '@palanquin/domain/geo'
import { shardOf } from '@palanquin/domain/ids'
import type { ThrowawayStack } from '@palanquin/stack/testing/throwaway-stack'
import { until } from '@palanquin/testing/until'
import { userIdOf } from '../load/requests.ts'

const TIMEOUT_MS = 300_000
const BATCH = 50_000

type PlaceOf = (n: number) => Place
const spread: PlaceOf = (n) => ({ lat: 23.4 + (n % 10_007) / 10_007, lng: 120.3 + (n % 101) / 1_000 })

/** Puts that many consenting participants on the map by rows in PostgreSQL, which the map then reads. */
export async function checkInParticipants(
  stack: ThrowawayStack,
  participants: number,
  placeOf = spread,
): Promise<void> {
  for (let first = 0; first < participants; first += BATCH)
    await insert(stack.sql, { first, count: Math.min(BATCH, participants - first), placeOf })
  await restartMap(stack)
  await until(async () => (await shown(stack.api)) === participants, {
    what: `${participants} participants on the map`,
    timeoutMs: TIMEOUT_MS,
  })
}

async function insert(
  sql: ThrowawayStack['sql'],
  { first, count, placeOf }: { first: number; count: number; placeOf: PlaceOf },
): Promise<void> {
  const rows = Array.from({ length: count }, (_, i) => {
    const n = first + i
    const u = userIdOf(n)
    return { u, s: shardOf(u), ...placeOf(n), d: `Participant ${n}` }
  })
  await sql.unsafe(
    `WITH given AS (
       SELECT * FROM json_to_recordset($1::text::json) AS one(u text, s smallint, lat double precision, lng double precision, d text)
     ), people AS (
       INSERT INTO engagement.participants (user_id, display_name, consent, updated_at)
       SELECT u, d, true, $2::text::timestamptz - random() * interval '1 day' FROM given
     )
     INSERT INTO tracking.tracks (user_id, shard, version, walked_km, points, checkins, state, last_lat, last_lng, last_at, moved_id, last_seen_at)
     SELECT u, s, 0, 12, 100, 3, $3::text::jsonb, lat, lng, $2::text::timestamptz - interval '1 hour', '1-0', $2::text::timestamptz FROM given`,
    [JSON.stringify(rows), new Date().toISOString(), JSON.stringify(emptyTrack())],
  )
}

/** The map reads PostgreSQL at its start. */
async function restartMap({ running }: ThrowawayStack): Promise<void> {
  const { pid } = running().services.map ?? {}
  if (pid === undefined) throw new Error('the map does not run')
  process.kill(pid, 'SIGTERM')
  await until(() => running().services.map?.pid !== pid, {
    what: 'the map to be started again',
    timeoutMs: TIMEOUT_MS,
  })
}

/** The number of participants on the map; zero while it loads. */
async function shown(api: ThrowawayStack['api']): Promise<number> {
  const { status, body } = await api.get('/data?limit=1')
  if (status !== 200) return 0
  return totalOf(body)
}

function totalOf(body: unknown): number {
  const { data } = (body ?? {}) as { data?: { total?: number } }
  return data?.total ?? 0
}
