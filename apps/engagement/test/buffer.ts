import { shardOf } from '@palanquin/domain/ids'
import { keysOf, type TestService } from './service.ts'

type Checkin = { entryId: string; recordedAtMs: number }

/** Time of the first check-in of these tests; one follows every second. */
export const START_MS = Date.parse('2026-05-01T02:00:00.000Z')

/** Participants of one shard share a stream, so entry ids grow across all of them. */
let sequence = 0

/** One participant's part of tracking's buffer. */
export function bufferOf(service: TestService, userId: string) {
  const keys = keysOf(userId)
  const buffered: Checkin[] = []
  let version = 0

  const checkin = async (recordedAtMs = START_MS + sequence * 1_000): Promise<void> => {
    // From 8 to 12: ids whose order as text differs from their order as numbers.
    const entryId = `${8 + Math.floor(sequence / 3)}-${8 + (sequence % 3) * 2}`
    sequence++
    await service.redis.rPush(keys.pending, `${entryId}|${recordedAtMs}`)
    buffered.push({ entryId, recordedAtMs })
  }

  /** Stores the first `count` of what is buffered and moves the cursor, in one transaction. */
  const store = async (count: number, { late = false } = {}): Promise<string> => {
    const taken = buffered.splice(0, count)
    const cursor = taken.at(-1)?.entryId ?? '0-0'
    version++
    await service.sql`SELECT tracking.ensure_points_partition(${new Date(START_MS).toISOString().slice(0, 10)}::date)`
    await service.sql.begin(async (sql) => {
      let stored = 0
      for (const { recordedAtMs } of taken) {
        const at = new Date(recordedAtMs)
        const rows = await sql`
          INSERT INTO tracking.points (user_id, recorded_at, kind, lat, lng, source, received_at)
          VALUES (${userId}, ${at}, 0, 24, 120.5, 'checkin', ${at}) ON CONFLICT DO NOTHING RETURNING 1`
        stored += rows.length
      }
      const counted = late ? 0 : stored
      await sql`
        INSERT INTO tracking.tracks AS t (user_id, shard, version, checkins, points, state, last_seen_at, needs_rebuild)
        VALUES (${userId}, ${shardOf(userId)}, ${version}, ${counted}, ${counted}, '{}', now(), ${late})
        ON CONFLICT (user_id) DO UPDATE SET checkins = t.checkins + ${counted}, needs_rebuild = ${late}`
      await sql`UPDATE tracking.flush_cursors SET cursor = ${cursor}, version = ${version} WHERE shard = ${shardOf(userId)}`
    })
    return cursor
  }

  /** Removes what the cursor has passed from Redis and marks the shard as flushed. */
  const confirm = async (cursor: string): Promise<void> => {
    const elements = await service.redis.lRange(keys.pending, 0, -1)
    const passed = elements.findIndex((element) => element.startsWith(`${cursor}|`)) + 1
    const script = `redis.call('LTRIM', KEYS[1], ARGV[1], -1) redis.call('SET', KEYS[2], ARGV[2])`
    const args = [String(passed), `${cursor}|${version}`]
    await service.redis.eval(script, { keys: [keys.pending, keys.flushed], arguments: args })
  }

  const flush = async (count: number): Promise<void> => confirm(await store(count))
  return { checkin, store, confirm, flush, buffered: () => buffered.length }
}
