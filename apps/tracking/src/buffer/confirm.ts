import type { Redis } from '@palanquin/service/redis'
import { defineScript, runScript } from '@palanquin/service/redis-script'
import { callRedis } from './call-redis.ts'
import { HEAD_OF_ENTRY, KIND_LETTER } from './entry.ts'
import { countKey, flushedKey, pendingPrefix, pointsKey, waitingKey } from './keys.ts'
import type { Entry } from './read.ts'

/** Lua passes some thousands of values to a command at most. */
const MEMBERS_PER_COMMAND = 1_000

/** Lua: writes `<cursor>|<version>`, unless a later one stands there. */
const NOTE_FLUSHED = (key: string, cursor: string, version: string): string => `
local noted = redis.call('GET', ${key})
local notedVersion = noted and tonumber(string.match(noted, '|(%d+)$')) or -1
if tonumber(${version}) > notedVersion then redis.call('SET', ${key}, ${cursor} .. '|' .. ${version}) end`

/**
 * Removes exactly the entries that were read and stored. Where the stream holds others between the first and the last
 * (Redis came back empty, another flusher was faster), nothing is removed and they are read again. The count and the
 * pending check-ins are reduced in the same step, so neither can drift.
 */
const CONFIRM = defineScript(`${HEAD_OF_ENTRY}
local function parts(id)
  local ms, sequence = string.match(id, '^(%d+)-(%d+)')
  return tonumber(ms), tonumber(sequence)
end
local function isAfter(a, b)
  local aMs, aSequence = parts(a)
  local bMs, bSequence = parts(b)
  return aMs > bMs or (aMs == bMs and aSequence > bSequence)
end
-- Nearly always one: the check-in of the entry.
local function dropPending(key, entry)
  local ours = entry .. '|'
  local first = redis.call('LPOP', key)
  while first and string.sub(first, 1, #ours) ~= ours do
    if isAfter(first, entry) then
      redis.call('LPUSH', key, first)
      return
    end
    first = redis.call('LPOP', key)
  end
end
local entries = redis.call('XRANGE', KEYS[1], ARGV[1], ARGV[2], 'COUNT', ARGV[3] + 1)
if #entries == tonumber(ARGV[3]) then
  local points = 0
  local stored = {}
  for _, entry in ipairs(entries) do
    local user, kind, number = headOf(entry[2])
    points = points + (tonumber(number) or 0)
    stored[#stored + 1] = user
    if kind == '${KIND_LETTER.checkin}' and user then dropPending(ARGV[4] .. user, entry[1]) end
  end
  -- The participants are stored now; what else of theirs waits does not change that.
  for from = 1, #stored, ${MEMBERS_PER_COMMAND} do
    redis.call('SREM', KEYS[4], unpack(stored, from, math.min(from + ${MEMBERS_PER_COMMAND - 1}, #stored)))
  end
  local ms, sequence = parts(ARGV[2])
  redis.call('XTRIM', KEYS[1], 'MINID', '=', string.format('%.0f-%.0f', ms, sequence + 1))
  local left = redis.call('DECRBY', KEYS[2], points)
  if left < 0 or redis.call('XLEN', KEYS[1]) == 0 then redis.call('SET', KEYS[2], 0) end
end
${NOTE_FLUSHED('KEYS[3]', 'ARGV[5]', 'ARGV[6]')}
return #entries
`)

export type Confirmation = {
  shard: number
  /** As they were read: at least one, in order. */
  entries: readonly Entry[]
  /** Of the shard, once all of them were stored. */
  cursor: string
  version: number
}

/** Whether the entries were as they were read, and are removed now. @throws StoreUnavailable when Redis is away */
export async function confirm(redis: Redis, done: Confirmation): Promise<boolean> {
  const { shard, entries, cursor, version } = done
  const [first, last] = [entries[0]?.id, entries.at(-1)?.id]
  if (first === undefined || last === undefined) throw new Error('nothing is to be confirmed')
  const found = await callRedis(
    runScript(redis, CONFIRM, {
      keys: [pointsKey(shard), countKey(shard), flushedKey(shard), waitingKey(shard)],
      args: [first, last, String(entries.length), pendingPrefix(shard), cursor, String(version)],
    }),
  )
  return found === entries.length
}

const NOTE = defineScript(NOTE_FLUSHED('KEYS[1]', 'ARGV[1]', 'ARGV[2]'))

/** Notes for caches that a shard's figures changed without a batch: by rebuilds. @throws StoreUnavailable */
export async function noteFlushed(
  redis: Redis,
  { shard, cursor, version }: Pick<Confirmation, 'shard' | 'cursor' | 'version'>,
): Promise<void> {
  await callRedis(runScript(redis, NOTE, { keys: [flushedKey(shard)], args: [cursor, String(version)] }))
}
