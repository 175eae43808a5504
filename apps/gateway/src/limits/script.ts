import { defineScript } from '@palanquin/service/redis-script'

/**
 * Sliding windows, each a list of times in microseconds of Redis' own clock, oldest first, for as many keys as are given.
 * ARGV, three for each: limit (1 or more), window (whole ms), 1 to count the call or 0 to look. Answers the time on a line
 * of its own, and then a line for each: empty where the call is counted and alone in its window, which most are, else
 * `allowed used µs-until-the-oldest-leaves`; as one text because the client reads that quicker than a list. A refused
 * call leaves nothing, and a key expires with its last entry. A key that comes twice is counted in order. Each command
 * in here costs Redis 3 to 4 µs: the entry is written first, because that tells how many there are.
 */
export const WINDOW_SCRIPT = defineScript(`
local call = redis.call
local time = call('TIME')
local now = tonumber(time[1]) * 1000000 + tonumber(time[2])
local stamp = string.format('%.0f', now)
local lines = {stamp}
for at, key in ipairs(KEYS) do
  local windowMs, take = ARGV[at * 3 - 1], ARGV[at * 3] == '1'
  local used = take and call('RPUSH', key, stamp) or call('LLEN', key)
  if take and used == 1 then
    call('PEXPIRE', key, windowMs)
    lines[at + 1] = ''
  else
    local limit, window = tonumber(ARGV[at * 3 - 2]), windowMs * 1000
    local oldest = call('LINDEX', key, 0)
    while oldest and tonumber(oldest) <= now - window do
      call('LPOP', key)
      used = used - 1
      oldest = call('LINDEX', key, 0)
    end
    local allowed = used < limit
    if take then
      allowed = used <= limit
      if allowed then
        call('PEXPIRE', key, windowMs)
      else
        call('RPOP', key)
        used = used - 1
      end
    end
    lines[at + 1] = string.format('%d %d %.0f', allowed and 1 or 0, used, tonumber(oldest or stamp) + window - now)
  end
end
return table.concat(lines, '\\n')
`)
