import { defineScript } from '@palanquin/service/redis-script'
import { ENTRY_FIELD } from './entry.ts'

/** Syncs of a participant that are remembered; the rate limit lets ten through in a minute. */
const RECENT_SYNCS_MAX = 64
/** So few are read whole sooner than it is asked whether any of them matters. */
const FEW = 4
/** The closed flag, the stream, the count, who waits, the erasure tokens. */
const KEYS_PER_SHARD = 5
/** Of a participant's syncs: key of what is remembered, entry, times and outline, erasure token. */
const ARGUMENTS_PER_SYNC = 4

/**
 * Appends syncs, those of a shard in their order, each as a whole or not at all; the reply has a line for each.
 *
 * They come shard by shard: the number of a shard's and how long they are remembered, then their arguments. Each remembered sync
 * is `<arrival>|<earliest>|<latest>|<latest of all up to it>|<points>`, a point being `<offset from the earliest>.<fingerprint>`.
 * Lists of times that do not overlap are skipped: where the sync before says that all were earlier, as with a phone that sends
 * each point when it is recorded, none is read. The time is that of Redis, so no clock of a process matters. Nothing is
 * kept of a sync that was received before its sender was erased.
 *
 * A command that writes costs Redis 3 to 5 µs, an argument half of one (ADR 0033): a sync is remembered first, because RPUSH
 * says whether there is any other, and forgotten again where it repeats one; one EXISTS asks for the flags of all shards, of which
 * mostly none is set; what belongs to a shard is written once; an entry comes as it is written. Redis refuses the first write
 * of a script or none.
 */
export const APPEND_SYNCS = defineScript(`
local call = redis.call
local time = call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local stamp = string.format('%.0f', now) .. '|'
local flagKeys = {}
for k = 1, #KEYS, ${KEYS_PER_SHARD} do
  flagKeys[#flagKeys + 1] = KEYS[k]
  flagKeys[#flagKeys + 1] = KEYS[k + 4]
end
local anyFlag = call('EXISTS', unpack(flagKeys)) > 0
local function exists(key) return anyFlag and call('EXISTS', key) == 1 end

local function isExpired(arrival, window) return not arrival or tonumber(arrival) <= now - window end

-- Whether all that is remembered is of earlier times.
local function isLater(key, earliest)
  local latest = string.match(call('LINDEX', key, -2), '^%d+|%d+|%d+|(%d+)|')
  return latest and tonumber(latest) < earliest
end

local function forgetOld(key, syncs, window)
  while syncs > ${RECENT_SYNCS_MAX} or isExpired(string.match(call('LINDEX', key, 0), '^(%d+)|'), window) do
    call('LPOP', key)
    syncs = syncs - 1
  end
end

-- The points of the remembered syncs whose times overlap, how many syncs are older than the window, and the latest time of all.
local function remembered(key, window, earliest, latest)
  local known
  local expired, last = 0, latest
  for at, sync in ipairs(call('LRANGE', key, 0, -2)) do
    local arrival, from, to, start = string.match(sync, '^(%d+)|(%d+)|(%d+)|%d+|()')
    last = math.max(last, tonumber(to or 0))
    if isExpired(arrival, window) then expired = at
    elseif tonumber(from) <= latest and tonumber(to) >= earliest then
      known = known or {}
      for offset, print in string.gmatch(string.sub(sync, start), '(%d+)%.(%d+)') do
        local at = tonumber(from) + tonumber(offset)
        known[at] = (known[at] or ',') .. print .. ','
      end
    end
  end
  return known, expired, last
end

local function repeats(known, earliest, outline)
  local duplicates = {}
  local at = 0
  for offset, print in string.gmatch(outline, '(%d+)%.(%d+)') do
    local prints = known[earliest + tonumber(offset)]
    if prints and string.find(prints, ',' .. print .. ',', 1, true) then duplicates[#duplicates + 1] = at end
    at = at + 1
  end
  return duplicates
end

-- Which of the points were sent before; false where none was, and the sync is remembered then.
local function repeated(key, line, window)
  local syncs = call('RPUSH', key, stamp .. line)
  if syncs > 1 then
    local from, to, start = string.match(line, '^(%d+)|(%d+)|%d+|()')
    local earliest, latest = tonumber(from), tonumber(to)
    if syncs > ${FEW} and isLater(key, earliest) then
      forgetOld(key, syncs, window)
    else
      local known, expired, last = remembered(key, window, earliest, latest)
      local duplicates = known and repeats(known, earliest, string.sub(line, start)) or {}
      if #duplicates > 0 then
        call('RPOP', key)
        return table.concat(duplicates, ',')
      end
      if last > latest then
        call('LSET', key, -1, stamp .. table.concat({from, to, string.format('%.0f', last), string.sub(line, start)}, '|'))
      end
      if expired > 0 then call('LTRIM', key, expired, -1) end
      if syncs - expired > ${RECENT_SYNCS_MAX} then call('LTRIM', key, -${RECENT_SYNCS_MAX}, -1) end
    end
  end
  call('PEXPIRE', key, window)
  return false
end

local function isErased(key, token, entry)
  local erasedAt = call('HGET', key, token)
  return erasedAt and tonumber(string.match(entry, '^[^,]*,[^,]*,[^,]*,(%d+)')) <= tonumber(erasedAt)
end

local lines = {}
local a = 1
for k = 1, #KEYS, ${KEYS_PER_SHARD} do
  local isClosed, anyErased = exists(KEYS[k]), exists(KEYS[k + 4])
  local window = tonumber(ARGV[a + 1])
  local last = a + 1 + ARGV[a] * ${ARGUMENTS_PER_SYNC}
  local points, senders = 0, {}
  for at = a + 2, last, ${ARGUMENTS_PER_SYNC} do
    local line = 'closed'
    local entry = ARGV[at + 1]
    if not isClosed then
      local isVoid = anyErased and isErased(KEYS[k + 4], ARGV[at + 3], entry)
      local duplicates = not isVoid and repeated(ARGV[at], ARGV[at + 2], window)
      line = isVoid and 'erased' or duplicates and 'duplicates|' .. duplicates or 'appended'
    end
    if line == 'appended' then
      local user, count = string.match(entry, '^([^,]*),[^,]*,[^,]*,%d+,(%d+)')
      call('XADD', KEYS[k + 1], '*', '${ENTRY_FIELD}', entry)
      points = points + count
      senders[#senders + 1] = user
    end
    lines[#lines + 1] = line
  end
  if points > 0 then
    call('INCRBY', KEYS[k + 2], string.format('%.0f', points))
    call('SADD', KEYS[k + 3], unpack(senders))
  end
  a = last + 1
end
return table.concat(lines, '\\n')
`)
