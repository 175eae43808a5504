import { createHash } from 'node:crypto'

/**
 * One key's sliding window as a list of times in microseconds of Redis' own clock, oldest first.
 * ARGV: limit, window (µs), 1 to count the call or 0 to look. Answers `allowed used µs-until-the-oldest-leaves time`,
 * as one text because the client reads that quicker than a list. A refused call writes nothing, and the key expires
 * with its last entry.
 */
export const WINDOW_SCRIPT = `
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000000 + tonumber(time[2])
local limit, window = tonumber(ARGV[1]), tonumber(ARGV[2])
local oldest = redis.call('LINDEX', KEYS[1], 0)
while oldest and tonumber(oldest) <= now - window do
  redis.call('LPOP', KEYS[1])
  oldest = redis.call('LINDEX', KEYS[1], 0)
end
local used = redis.call('LLEN', KEYS[1])
local stamp = string.format('%.0f', now)
local allowed = used < limit and 1 or 0
if allowed == 1 and ARGV[3] == '1' then
  redis.call('RPUSH', KEYS[1], stamp)
  redis.call('PEXPIRE', KEYS[1], math.ceil(window / 1000))
  used = used + 1
end
return string.format('%d %d %.0f %s', allowed, used, tonumber(oldest or stamp) + window - now, stamp)
`
export const WINDOW_SCRIPT_SHA = createHash('sha1').update(WINDOW_SCRIPT).digest('hex')
