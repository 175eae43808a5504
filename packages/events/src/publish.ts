import { randomUUID } from 'node:crypto'
import type { DomainEvent } from '@palanquin/domain/events'
import { withDeadline } from '@palanquin/service/deadline'
import type { Redis } from '@palanquin/service/redis'
import {
  EPOCH_KEY,
  fieldsOf,
  isEvent,
  problemOf,
  REDIS_DEADLINE_MS,
  RETENTION_MS,
  STREAM_KEY,
} from './stream.ts'

/**
 * Writes events in their order, all of them or none, and trims by age on Redis's own clock.
 * With a lease (KEYS[3], ARGV[3]) it writes only while the lease is still the caller's: a relay that was suspended
 * and wakes up late cannot publish what it once read behind what another has published since.
 */
const PUBLISH_SCRIPT = `
if ARGV[3] ~= '' then
  if redis.call('GET', KEYS[3]) ~= ARGV[3] then return -1 end
  redis.call('PEXPIRE', KEYS[3], ARGV[4])
end
redis.call('SET', KEYS[2], ARGV[2], 'NX')
for i = 5, #ARGV, 4 do
  redis.call('XADD', KEYS[1], '*', 'id', ARGV[i], 'type', ARGV[i + 1], 'at', ARGV[i + 2], 'data', ARGV[i + 3])
end
local nowMs = tonumber(redis.call('TIME')[1]) * 1000
redis.call('XTRIM', KEYS[1], 'MINID', '~', string.format('%.0f', math.max(0, nowMs - tonumber(ARGV[1]))))
return 1
`

export type Lease = { key: string; token: string; durationMs: number }
type Publishable = { id: string; type: string; at: string; data: unknown }

/**
 * Writes events that are known to be fit, in order, in one step.
 * @returns false when the lease is no longer the caller's, and then nothing was written
 * @throws when Redis is away or late; the events may have been written then
 */
export async function publishBatch(
  redis: Redis,
  events: readonly Publishable[],
  { lease, retentionMs = RETENTION_MS }: { lease?: Lease; retentionMs?: number } = {},
): Promise<boolean> {
  const answer = await withDeadline(
    redis.eval(PUBLISH_SCRIPT, {
      keys: [STREAM_KEY, EPOCH_KEY, ...(lease ? [lease.key] : [])],
      arguments: [
        String(retentionMs),
        randomUUID(),
        lease?.token ?? '',
        String(lease?.durationMs ?? 0),
        ...events.flatMap(fieldsOf),
      ],
    }),
    { what: 'Redis', deadlineMs: REDIS_DEADLINE_MS },
  )
  return answer === 1
}

/**
 * Publishes one event straight away, for what no database row stands behind. Where a row does, insert into the
 * outbox in the same statement instead and let the relay publish.
 * @throws TypeError for an event that its schema refuses (a bug), and when Redis is away
 */
export async function publish(redis: Redis, event: DomainEvent): Promise<void> {
  if (!isEvent(event)) throw new TypeError(`an event that is not fit to be published: ${problemOf(event)}`)
  await publishBatch(redis, [event])
}
