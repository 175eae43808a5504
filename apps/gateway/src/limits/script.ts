import { defineScript } from '@palanquin/service/redis-script'

/**
 * Sliding windows, each a list of times in microseconds of Redis' own clock, oldest first, for as many keys as are given.
 * ARGV, three for each: limit, window (µs), 1 to count the call or 0 to look. Answers a line for each,
 * `allowed used µs-until-the-oldest-leaves time`, as one text because the client reads that quicker than a list. A refused
 * call writes nothing, and a key expires with its last entry. A key that comes twice is counted in order.
 */
export const WINDOW_SCRIPT = defineScript(`
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000000 + tonumber(time[2])
local stamp = string.format('%.0f', now)
local answers = {}
for at, key in ipairs(KEYS) do
  local limit, window = tonumber(ARGV[at * 3 - 2]), tonumber(ARGV[at * 3 - 1])
  local oldest = redis.call('LINDEX', key, 0)
  while oldest and tonumber(oldest) <= now - window do
    redis.call('LPOP', key)
    oldest = redis.call('LINDEX', key, 0)
  end
  local used = oldest and redis.call('LLEN', key) or 0
  local allowed = used < limit and 1 or 0
  if allowed == 1 and ARGV[at * 3] == '1' then
    redis.call('RPUSH', key, stamp)
    redis.call('PEXPIRE', key, math.ceil(window / 1000))
    used = used + 1
  end
  answers[at] = string.format('%d %d %.0f %s', allowed, used, tonumber(oldest or stamp) + window - now, stamp)
end
return table.concat(answers, '\\n')
`)
