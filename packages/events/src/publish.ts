import { randomUUID } from 'node:crypto'
import type { DomainEvent } from '@palanquin/domain/events'
import { withDeadline } from '@palanquin/service/deadline'
import type { Redis } from '@palanquin/service/redis'
import {
  BUS_GROUPS,
  DONE_RETENTION_MS,
  EPOCH_KEY,
  fieldsOf,
  isEvent,
  problemOf,
  REDIS_DEADLINE_MS,
  RETENTION_MS,
  STREAM_KEY,
  TRIMMED_KEY,
} from './stream.ts'

/**
 * Writes events, all or none, and trims what is older than ARGV[1], or than ARGV[2] and done by every group of ARGV[4].
 * With a lease (KEYS[4], ARGV[5]) it notes the rows (ARGV[7], KEYS[5]), and writes only while the lease is the caller's.
 */
const PUBLISH_SCRIPT = `
if ARGV[5] ~= '' then
  if redis.call('GET', KEYS[4]) ~= ARGV[5] then return -1 end
  redis.call('PEXPIRE', KEYS[4], ARGV[6])
end
local time = redis.call('TIME')
local nowMs = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
redis.call('SET', KEYS[2], ARGV[3], 'NX')
for i = 8, #ARGV, 4 do
  redis.call('XADD', KEYS[1], '*', 'id', ARGV[i], 'type', ARGV[i + 1], 'at', ARGV[i + 2], 'data', ARGV[i + 3])
end
for seq in string.gmatch(ARGV[7], '[^ ]+') do redis.call('ZADD', KEYS[5], nowMs, seq) end

local function before(ageMs) return { math.max(0, nowMs - tonumber(ageMs)), 0 } end
local function placeOf(entryId)
  local ms, sequence = string.match(entryId, '^(%d+)-(%d+)$')
  return { tonumber(ms), tonumber(sequence) }
end
local function isBefore(one, other) return one[1] < other[1] or (one[1] == other[1] and one[2] < other[2]) end

local done, missing = before(ARGV[2]), {}
for group in string.gmatch(ARGV[4], '[^ ]+') do missing[group] = true end
for _, group in ipairs(redis.call('XINFO', 'GROUPS', KEYS[1])) do
  local info = {}
  for at = 1, #group, 2 do info[group[at]] = group[at + 1] end
  missing[info.name] = nil
  local inHand = redis.call('XPENDING', KEYS[1], info.name)[2]
  local place = placeOf(inHand or info['last-delivered-id'])
  if isBefore(place, done) then done = place end
end
local keep = before(ARGV[1])
if next(missing) == nil and isBefore(keep, done) then keep = done end
local id = string.format('%.0f-%.0f', keep[1], keep[2])
if redis.call('XTRIM', KEYS[1], 'MINID', '~', id) > 0 then redis.call('SET', KEYS[3], id) end
return 1
`

/** Rows of an outbox that the events stand for, and where they are noted as published. */
export type Rows = { key: string; seqs: readonly string[] }
export type Lease = { key: string; token: string; durationMs: number }
type Publishable = { id: string; type: string; at: string; data: unknown }

/** Writes valid events in one step. @returns false when the lease is lost @throws when Redis is away */
export async function publishBatch(
  redis: Redis,
  events: readonly Publishable[],
  {
    lease,
    rows,
    retentionMs = RETENTION_MS,
    doneRetentionMs = DONE_RETENTION_MS,
    groups = BUS_GROUPS,
  }: {
    lease?: Lease
    /** With a lease alone. */
    rows?: Rows
    retentionMs?: number
    doneRetentionMs?: number
    groups?: readonly string[]
  } = {},
): Promise<boolean> {
  const answer = await withDeadline(
    redis.eval(PUBLISH_SCRIPT, {
      keys: [STREAM_KEY, EPOCH_KEY, TRIMMED_KEY, ...(lease ? [lease.key] : []), ...(rows ? [rows.key] : [])],
      arguments: [
        String(retentionMs),
        String(doneRetentionMs),
        randomUUID(),
        groups.join(' '),
        lease?.token ?? '',
        String(lease?.durationMs ?? 0),
        rows?.seqs.join(' ') ?? '',
        ...events.flatMap(fieldsOf),
      ],
    }),
    { what: 'Redis', deadlineMs: REDIS_DEADLINE_MS },
  )
  return answer === 1
}

/** Publishes one event that no row stands behind; otherwise the outbox does it. @throws TypeError, or Redis's error */
export async function publish(redis: Redis, event: DomainEvent): Promise<void> {
  if (!isEvent(event)) throw new TypeError(`an event that is not fit to be published: ${problemOf(event)}`)
  await publishBatch(redis, [event])
}
