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
 * Two keys for each participant (entry, `flushed`), and then one (pending). Returns what the first ones hold, and then each one's
 * pending check-ins joined by spaces, which are left out where there are none. Read-only, because tracking owns some of the keys.
 * Each key costs Redis some 1.3 thousand instructions, each command another 5.
 */
export const READ_ENTRIES = defineScript(
  `
local call, people = redis.call, #KEYS / 3
local known = call('MGET', unpack(KEYS, 1, people * 2))
if call('EXISTS', unpack(KEYS, people * 2 + 1)) > 0 then
  for at = people * 2 + 1, people * 3 do known[at] = table.concat(call('LRANGE', KEYS[at], 0, -1), ' ') end
end
return known`,
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
