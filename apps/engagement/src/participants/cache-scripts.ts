import { defineScript } from '@palanquin/service/redis-script'

/**
 * Writes entries: for each two keys (entry, erasures), and three arguments behind the milliseconds that all of them live: what
 * both keys must still be, and the entry. So nothing is written that was changed or dropped, or whose shard erased a participant.
 */
export const WRITE_ENTRIES = defineScript(`
local call = redis.call
for at = 1, #KEYS / 2 do
  local key, a = KEYS[at * 2 - 1], at * 3 - 1
  if (call('GET', key) or '') == ARGV[a] and (call('GET', KEYS[at * 2]) or '') == ARGV[a + 1] then
    call('SET', key, ARGV[a + 2], 'PX', ARGV[1])
  end
end`)

/**
 * Each participant's pending check-ins joined by spaces, a line each; empty where nobody has one. Read-only, because the keys are
 * tracking's.
 */
export const READ_PENDING_LINES = defineScript(
  `
local call = redis.call
if call('EXISTS', unpack(KEYS)) == 0 then return '' end
local lines = {}
for at, key in ipairs(KEYS) do lines[at] = table.concat(call('LRANGE', key, 0, -1), ' ') end
return table.concat(lines, '\\n')`,
  { readOnly: true },
)

/** For those without a fresh entry, two keys each: whether any point waits in the buffer (1 or 0), and the shard's erasures. */
export const READ_BUFFERED = defineScript(
  `
local known = {}
for at, userId in ipairs(ARGV) do
  known[at * 2 - 1] = redis.call('SISMEMBER', KEYS[at * 2 - 1], userId)
  known[at * 2] = redis.call('GET', KEYS[at * 2])
end
return known`,
  { readOnly: true },
)

export const ERASE_ENTRY = defineScript(`
redis.call('INCR', KEYS[2])
return redis.call('DEL', KEYS[1])`)
