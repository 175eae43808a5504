import { defineScript } from '@palanquin/service/redis-script'

/** Up to this limit a window is one text. */
export const FEW = 32

/**
 * Sliding windows of times in microseconds of Redis' own clock, oldest first, for any number of keys. Those of at most
 * `FEW` calls, as each participant has, are one text: a call that is alone in its window, as most are, is one command. Longer ones,
 * as an address has, are lists.
 * ARGV is one text of `limit spent window-in-ms calls keys`, for so many KEYS in their order, any number of times; 0 calls are a look, and
 * so many of the limit are `spent` elsewhere.
 * Returns the time, and then a line for each key: empty where all its calls are counted and are alone in their window, else
 * `admitted used µs-until-the-oldest-leaves` (of a look 1 or 0 for `admitted`); as one text, which the client parses faster than a
 * list. A refused call leaves no entry, and a key expires with its last entry. A key that is given several times is counted in
 * order. Each command costs Redis 2 to 4 µs and each argument 0.2: the entries of a list are written first, because RPUSH returns the
 * count, and its oldest entry is read once.
 */
export const WINDOW_SCRIPT = defineScript(`
local call = redis.call
local time = call('TIME')
local now = tonumber(time[1]) * 1000000 + tonumber(time[2])
local stamp = string.format('%.0f', now)
local stamps, oldestOf = {}, {}

local function answer(admitted, used, oldest, gone) return string.format('%d %d %.0f', admitted, used, oldest - gone) end

local function countInText(key, free, windowMs, calls)
  local before
  if calls == 1 then
    before = call('SET', key, stamp, 'PX', windowMs, 'NX', 'GET')
    if not before then return '' end
  else
    before = call('GET', key) or ''
  end
  local gone = now - windowMs * 1000
  local times, used = {}, 0
  for at in string.gmatch(before, '%d+') do
    if tonumber(at) > gone then
      used = used + 1
      times[used] = at
    end
  end
  if calls == 0 then return answer(used < free and 1 or 0, used, times[1] or stamp, gone) end
  local admitted = math.max(0, math.min(calls, free - used))
  for n = 1, admitted do times[used + n] = stamp end
  if admitted > 0 then call('SET', key, table.concat(times, ' '), 'PX', windowMs) end
  if used == 0 and admitted == calls then return '' end
  return answer(admitted, used + admitted, times[1], gone)
end

local function countInList(key, free, windowMs, calls)
  local gone = now - windowMs * 1000
  local used
  if calls == 0 then
    used = call('LLEN', key)
  elseif calls == 1 then
    used = call('RPUSH', key, stamp)
  else
    for n = #stamps + 1, calls do stamps[n] = stamp end
    used = call('RPUSH', key, unpack(stamps, 1, calls))
  end
  local alone = calls > 0 and used == calls
  if alone then oldestOf[key] = stamp end
  while not oldestOf[key] do
    local oldest = call('LINDEX', key, 0)
    if oldest and tonumber(oldest) <= gone then
      call('LPOP', key)
      used = used - 1
    else
      oldestOf[key] = oldest or stamp
    end
  end
  local admitted = calls
  if calls == 0 then
    admitted = used < free and 1 or 0
  elseif used > free then
    admitted = math.max(0, calls - (used - free))
    call('RPOP', key, calls - admitted)
    used = used - (calls - admitted)
  end
  if calls > 0 and admitted > 0 then call('PEXPIRE', key, windowMs) end
  if alone and admitted == calls then return '' end
  return answer(admitted, used, oldestOf[key], gone)
end

local lines = {}
for limit, spent, windowMs, calls, keys in string.gmatch(ARGV[1], '(%d+) (%d+) (%d+) (%d+) (%d+)') do
  limit = tonumber(limit)
  calls = tonumber(calls)
  local count = limit <= ${FEW} and countInText or countInList
  for _ = 1, tonumber(keys) do lines[#lines + 1] = count(KEYS[#lines + 1], limit - spent, windowMs, calls) end
end
return stamp .. '\\n' .. table.concat(lines, '\\n')
`)

/** Takes the latest entry of this time (ARGV) back from a window that is a text; its expiry stays. */
export const GIVE_BACK_SCRIPT = defineScript(`
local times, last = {}, nil
for at in string.gmatch(redis.call('GET', KEYS[1]) or '', '%d+') do
  times[#times + 1] = at
  if at == ARGV[1] then last = #times end
end
if not last then return 0 end
table.remove(times, last)
if #times == 0 then return redis.call('DEL', KEYS[1]) end
redis.call('SET', KEYS[1], table.concat(times, ' '), 'KEEPTTL')
return 1
`)
