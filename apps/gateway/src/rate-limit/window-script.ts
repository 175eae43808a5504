import { defineScript } from '@palanquin/service/redis-script'

/**
 * Sliding windows, each a list of times in microseconds of Redis' own clock, oldest first, for any number of keys.
 * ARGV, three for each: limit (1 or more), window (whole ms), 1 to count the call or 0 to look. Returns the time, and then a
 * line for each key: empty where the call is counted and alone in its window, as most are, else
 * `allowed used µs-until-the-oldest-leaves`; as one text, which the client parses faster than a list. A refused call leaves
 * no entry, and a key expires with its last entry. A key that is given several times is counted in order. Each command
 * costs Redis 3 to 4 µs: the entry is written first, because RPUSH returns the count, and the oldest entry of a key is
 * read once.
 */
export const WINDOW_SCRIPT = defineScript(`
local call = redis.call
local time = call('TIME')
local now = tonumber(time[1]) * 1000000 + tonumber(time[2])
local stamp = string.format('%.0f', now)
local lines, oldestOf, renewed = {stamp}, {}, {}
for at, key in ipairs(KEYS) do
  local limit, windowMs, take = tonumber(ARGV[at * 3 - 2]), ARGV[at * 3 - 1], ARGV[at * 3] == '1'
  local gone = now - windowMs * 1000
  local used = take and call('RPUSH', key, stamp) or call('LLEN', key)
  local alone = take and used == 1
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
  local allowed = used < limit or take and used == limit
  if take and not allowed then
    call('RPOP', key)
    used = used - 1
  elseif take and not renewed[key] then
    call('PEXPIRE', key, windowMs)
    renewed[key] = true
  end
  lines[at + 1] = alone and '' or string.format('%d %d %.0f', allowed and 1 or 0, used, oldestOf[key] - gone)
end
return table.concat(lines, '\\n')
`)
