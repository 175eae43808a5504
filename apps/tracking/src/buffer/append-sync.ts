import { shardOf } from '@palanquin/domain/ids'
import { DUPLICATE_WINDOW_MS } from '@palanquin/domain/point'
import type { Redis } from '@palanquin/service/redis'
import { defineScript, runScript } from '@palanquin/service/redis-script'
import { callRedis } from './call-redis.ts'
import { KIND_LETTER } from './entry.ts'
import { closedKey, countKey, erasedKey, pointsKey, recentKey, waitingKey } from './keys.ts'
import type { PackedSync } from './pack-sync.ts'

/** The points of one sync, in their order, without repeats. `token` is the participant's erasure token. */
export type Sync = {
  userId: string
  token: string
  source: string
  receivedAt: number
  points: PackedSync
  /** How long it is remembered, and how far back others are looked through; left out, the contract's minute. */
  windowMs?: number | undefined
}

/** Appended, as received then; or nothing done: the activity is closed, or some were sent within 60 s (their positions). */
export type SyncAppended = { receivedAt: number } | 'closed' | { duplicates: ReadonlySet<number> }

/** Syncs of a participant that are remembered; the rate limit lets ten through in a minute. */
const RECENT_SYNCS_MAX = 64
const APPENDED = 'appended|'

/**
 * Each remembered sync is `<arrival>|<earliest>|<latest>|<points>`, a point being `<offset from the earliest>.<fingerprint>`.
 * Lists of times that do not overlap are skipped. The time is that of Redis, so no clock of a process matters. A sync of
 * an erased sender counts as received after the erasure, or the flush would drop it.
 */
const APPEND_SYNC = defineScript(`
if redis.call('EXISTS', KEYS[1]) == 1 then return 'closed' end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local window = tonumber(ARGV[8])
local earliest, latest = tonumber(ARGV[6]), tonumber(ARGV[7])
local known
local expired = 0
for at, sync in ipairs(redis.call('LRANGE', KEYS[2], 0, -1)) do
  local arrival, from, to, start = string.match(sync, '^(%d+)|(%d+)|(%d+)|()')
  if tonumber(arrival) <= now - window then expired = at
  elseif tonumber(from) <= latest and tonumber(to) >= earliest then
    known = known or {}
    for offset, print in string.gmatch(string.sub(sync, start), '(%d+)%.(%d+)') do
      local at = tonumber(from) + tonumber(offset)
      known[at] = (known[at] or ',') .. print .. ','
    end
  end
end
if known then
  local duplicates = {}
  local at = 0
  for offset, print in string.gmatch(ARGV[5], '(%d+)%.(%d+)') do
    local prints = known[earliest + tonumber(offset)]
    if prints and string.find(prints, ',' .. print .. ',', 1, true) then duplicates[#duplicates + 1] = at end
    at = at + 1
  end
  if #duplicates > 0 then return duplicates end
end
local received = ARGV[3]
local erasedAt = redis.call('HGET', KEYS[6], ARGV[10])
if erasedAt and tonumber(received) <= tonumber(erasedAt) then received = string.format('%.0f', erasedAt + 1) end
redis.call('XADD', KEYS[3], '*', 'u', ARGV[1], 'k', '${KIND_LETTER.track}', 's', ARGV[2], 'r', received, 'n', ARGV[9], 'p', ARGV[4])
redis.call('INCRBY', KEYS[4], ARGV[9])
redis.call('SADD', KEYS[5], ARGV[1])
if expired > 0 then redis.call('LTRIM', KEYS[2], expired, -1) end
redis.call('RPUSH', KEYS[2], string.format('%.0f', now) .. '|' .. ARGV[6] .. '|' .. ARGV[7] .. '|' .. ARGV[5])
redis.call('LTRIM', KEYS[2], -${RECENT_SYNCS_MAX}, -1)
redis.call('PEXPIRE', KEYS[2], window)
return '${APPENDED}' .. received
`)

/**
 * Puts the points of a sync into the buffer as one entry, or none of them.
 * @throws StoreUnavailable when Redis is away, late or full; the points may be in the buffer then, and a second try
 * finds them as duplicates
 */
export async function appendSync(
  redis: Redis,
  { userId, token, source, receivedAt, points, windowMs = DUPLICATE_WINDOW_MS }: Sync,
): Promise<SyncAppended> {
  const shard = shardOf(userId)
  const { packed, count, earliest, latest, outline } = points
  const reply = await callRedis(
    runScript(redis, APPEND_SYNC, {
      keys: [
        closedKey(shard),
        recentKey(userId),
        pointsKey(shard),
        countKey(shard),
        waitingKey(shard),
        erasedKey(shard),
      ],
      args: [
        userId,
        source,
        String(receivedAt),
        packed,
        outline,
        String(earliest),
        String(latest),
        String(windowMs),
        String(count),
        token,
      ],
    }),
  )
  if (typeof reply === 'string' && reply.startsWith(APPENDED))
    return { receivedAt: Number(reply.slice(APPENDED.length)) }
  if (reply === 'closed') return reply
  if (Array.isArray(reply)) return { duplicates: new Set(reply.map(Number)) }
  throw new TypeError('the sync script gave an unknown reply')
}
