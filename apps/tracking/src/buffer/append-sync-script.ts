import { defineScript } from '@palanquin/service/redis-script'
import { KIND_LETTER } from './entry.ts'

/** Syncs of a participant that are remembered; the rate limit lets ten through in a minute. */
const RECENT_SYNCS_MAX = 64
/** So few are read whole sooner than it is asked whether any of them matters. */
const FEW = 4
const KEYS_PER_SYNC = 6
const ARGUMENTS_PER_SYNC = 10

/**
 * Appends syncs in their order, each as a whole or not at all; the reply has a line for each.
 *
 * Each remembered sync is `<arrival>|<earliest>|<latest>|<latest of all up to it>|<points>`, a point being
 * `<offset from the earliest>.<fingerprint>`. Lists of times that do not overlap are skipped: where the sync before says that all
 * were earlier, as with a phone that sends each point when it is recorded, none is read. The time is that of Redis, so no clock of a
 * process matters. A sync of an erased sender counts as received after the erasure, or the flush would drop it.
 *
 * A command costs Redis 3 to 4 µs: the sync is remembered first, because RPUSH says whether there is any other, and forgotten
 * again where it repeats one; one EXISTS asks for the flags of all shards, of which mostly none is set; what belongs to a shard is
 * written once. Redis refuses the first write of a script or none.
 */
export const APPEND_SYNCS = defineScript(`
local call = redis.call
local time = call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local stamp = string.format('%.0f', now)
local flagKeys, isSet, points, senders = {}, {}, {}, {}
for at = 0, #KEYS - 1, ${KEYS_PER_SYNC} do
  flagKeys[#flagKeys + 1] = KEYS[at + 1]
  flagKeys[#flagKeys + 1] = KEYS[at + 6]
end
local anyFlag = call('EXISTS', unpack(flagKeys)) > 0

local function exists(key)
  if not anyFlag then return false end
  if isSet[key] == nil then isSet[key] = call('EXISTS', key) == 1 end
  return isSet[key]
end

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

local function append(k, a)
  local user, received, outline, window, count = ARGV[a + 1], ARGV[a + 3], ARGV[a + 5], tonumber(ARGV[a + 8]), ARGV[a + 9]
  local earliest, latest = tonumber(ARGV[a + 6]), tonumber(ARGV[a + 7])
  local recent = KEYS[k + 2]
  if exists(KEYS[k + 1]) then return 'closed' end
  local function line(last) return table.concat({stamp, ARGV[a + 6], ARGV[a + 7], last, outline}, '|') end
  local syncs = call('RPUSH', recent, line(ARGV[a + 7]))
  if syncs > ${FEW} and isLater(recent, earliest) then
    forgetOld(recent, syncs, window)
  elseif syncs > 1 then
    local known, expired, last = remembered(recent, window, earliest, latest)
    local duplicates = known and repeats(known, earliest, outline) or {}
    if #duplicates > 0 then
      call('RPOP', recent)
      return 'duplicates|' .. table.concat(duplicates, ',')
    end
    if last > latest then call('LSET', recent, -1, line(string.format('%.0f', last))) end
    if expired > 0 then call('LTRIM', recent, expired, -1) end
    if syncs - expired > ${RECENT_SYNCS_MAX} then call('LTRIM', recent, -${RECENT_SYNCS_MAX}, -1) end
  end
  call('PEXPIRE', recent, ARGV[a + 8])
  local erasedAt = exists(KEYS[k + 6]) and call('HGET', KEYS[k + 6], ARGV[a + 10])
  if erasedAt and tonumber(received) <= tonumber(erasedAt) then received = string.format('%.0f', erasedAt + 1) end
  call('XADD', KEYS[k + 3], '*', 'u', user, 'k', '${KIND_LETTER.track}', 's', ARGV[a + 2], 'r', received, 'n', count, 'p', ARGV[a + 4])
  points[KEYS[k + 4]] = (points[KEYS[k + 4]] or 0) + count
  local waiting = senders[KEYS[k + 5]] or {}
  senders[KEYS[k + 5]] = waiting
  waiting[#waiting + 1] = user
  return 'appended|' .. received
end

local lines = {}
for at = 1, #KEYS / ${KEYS_PER_SYNC} do
  lines[at] = append((at - 1) * ${KEYS_PER_SYNC}, (at - 1) * ${ARGUMENTS_PER_SYNC})
end
for key, more in pairs(points) do call('INCRBY', key, string.format('%.0f', more)) end
for key, users in pairs(senders) do call('SADD', key, unpack(users)) end
return table.concat(lines, '\\n')
`)
