import { defineScript } from '@palanquin/service/redis-script'

/**
 * Sliding windows, each a list of times in microseconds of Redis' own clock, oldest first, for any number of keys.
 * ARGV, three for each: limit (1 or more), window (whole ms), how many calls to count, or 0 to look. Returns the time, and then
 * a line for each key: empty where all its calls are counted and are alone in their window, as most are, else
 * `admitted used µs-until-the-oldest-leaves` (of a look 1 or 0 for `admitted`); as one text, which the client parses faster than a
 * list. A refused call leaves no entry, and a key expires with its last entry. A key that is given several times is counted in
 * order. Each command costs Redis 3 to 4 µs: the entries are written first, because RPUSH returns the count, and the oldest entry
 * of a key is read once.
 */
export const WINDOW_SCRIPT = defineScript(`
local call = redis.call
local time = call('TIME')
local now = tonumber(time[1]) * 1000000 + tonumber(time[2])
local stamp = string.format('%.0f', now)
local stamps, lines, oldestOf = {}, {stamp}, {}
for at, key in ipairs(KEYS) do
  local limit, windowMs, calls = tonumber(ARGV[at * 3 - 2]), ARGV[at * 3 - 1], tonumber(ARGV[at * 3])
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
    admitted = used < limit and 1 or 0
  elseif used > limit then
    admitted = math.max(0, calls - (used - limit))
    call('RPOP', key, calls - admitted)
    used = used - (calls - admitted)
  end
  if calls > 0 and admitted > 0 then call('PEXPIRE', key, windowMs) end
  if alone and admitted == calls then
    lines[at + 1] = ''
  else
    lines[at + 1] = string.format('%d %d %.0f', admitted, used, oldestOf[key] - gone)
  end
end
return table.concat(lines, '\\n')
`)
