import { defineScript } from '@palanquin/service/redis-script'

/** Writes only while the key is unchanged (ARGV[1]) and no participant of the shard was erased since (ARGV[2]). */
export const WRITE_ENTRY = defineScript(`
if (redis.call('GET', KEYS[1]) or '') ~= ARGV[1] or (redis.call('GET', KEYS[2]) or '') ~= ARGV[2] then return 0 end
redis.call('SET', KEYS[1], ARGV[3], 'PX', ARGV[4])
return 1`)

/** Five keys and five replies for each participant; read-only, because tracking owns some of the keys. */
export const READ_STATES = defineScript(
  `
local states = {}
for at, userId in ipairs(ARGV) do
  local k = at * 5 - 5
  states[k + 1] = redis.call('GET', KEYS[k + 1])
  states[k + 2] = table.concat(redis.call('LRANGE', KEYS[k + 2], 0, -1), ' ')
  states[k + 3] = redis.call('GET', KEYS[k + 3])
  states[k + 4] = redis.call('SISMEMBER', KEYS[k + 4], userId)
  states[k + 5] = redis.call('GET', KEYS[k + 5])
end
return states`,
  { readOnly: true },
)
export const REPLIES_PER_PARTICIPANT = 5

export const ERASE_ENTRY = defineScript(`
redis.call('INCR', KEYS[2])
return redis.call('DEL', KEYS[1])`)
