import type { Redis } from '@palanquin/service/redis'
import { defineScript, runScript } from '@palanquin/service/redis-script'

/** The tag keeps them in one slot of a Redis Cluster. */
const GATEWAYS = 'rl:{gateways}'
const SOLE = 'rl:{gateways}:sole'
export const LOG = 'rl:{gateways}:log'

/** A gateway without a heartbeat for so long is gone: longer than Redis takes to restart, so that none seems alone then. */
const GONE_MS = 60_000
/** How long nobody else may count after a heartbeat of the gateway that counts alone. */
export const LEASE_MS = 2_000
/** Longer than a gateway may count together with others after its last heartbeat, and a window after that. */
const STATE_MS = 120_000
/** Longer than the windows that are counted alone. */
const LOG_MS = 61_000
/** 2,000 a second; also where Redis' clock was set back, by which the log is trimmed. */
export const LOG_ENTRIES_MAX = 2 ** 17

/** `-`: counts with others. `join`: would, or alone. `keep`: counts alone. `leave`: stops. Else `changed`, to count alone. */
export type Intent = '-' | 'join' | 'keep' | 'leave' | (string & {})
/** What Redis says: the gateways, when they last changed (a text that never comes again), and which of them counts alone. */
export type Word = { sole: 'self' | 'other' | 'none'; changed: string; all: readonly string[] }

/**
 * KEYS: the gateways by their last heartbeat in Redis' time; who counts alone until when, and when the gateways changed; the log of
 * what it admits. ARGV: id, intent, how many ms a gateway, the lease, the state and the log last, and how many entries it has. A lease that is over ends
 * at the next heartbeat of anybody else, and so does one that is longer than any, after Redis' clock was set back; its owner may renew it
 * until then. Whoever is the only one may begin at once where no gateway has
 * counted for minutes, else where none has come or gone since it said so. Returns `owner changed ids`.
 */
const HEARTBEAT = defineScript(`
local call = redis.call
local id, intent = ARGV[1], ARGV[2]
local time = call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local moved = intent == 'leave' and call('ZREM', KEYS[1], id) or call('ZADD', KEYS[1], now, id)
moved = moved + call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - ARGV[3])
local all = call('ZRANGE', KEYS[1], 0, -1)
local owner, untilMs, changed = unpack(call('HMGET', KEYS[2], 'owner', 'until', 'changed'))
local isNew = not changed
if isNew or moved > 0 then
  changed = time[1] .. '.' .. time[2]
  call('HSET', KEYS[2], 'changed', changed)
end
local leftMs = (tonumber(untilMs or '0') or 0) - now
if owner and (owner == id and intent ~= 'keep' or owner ~= id and (leftMs <= 0 or leftMs > tonumber(ARGV[4]))) then
  owner = false
  call('HDEL', KEYS[2], 'owner', 'until')
end
local mayBegin = intent == changed or isNew and (intent == 'join' or intent == 'keep')
if not owner and mayBegin and #all == 1 and all[1] == id then
  owner = id
  call('DEL', KEYS[3])
end
if owner == id then
  call('HSET', KEYS[2], 'owner', id, 'until', now + ARGV[4])
  call('XTRIM', KEYS[3], 'MINID', '~', now - ARGV[6])
  call('XTRIM', KEYS[3], 'MAXLEN', '~', ARGV[7])
  call('PEXPIRE', KEYS[3], ARGV[5])
end
call('PEXPIRE', KEYS[1], ARGV[3])
call('PEXPIRE', KEYS[2], ARGV[5])
return (owner or '-') .. ' ' .. changed .. ' ' .. table.concat(all, ' ')
`)

export async function heartbeat(redis: Redis, { id, intent }: { id: string; intent: Intent }): Promise<Word> {
  const args = [id, intent, ...[GONE_MS, LEASE_MS, STATE_MS, LOG_MS, LOG_ENTRIES_MAX].map(String)]
  const said = await runScript(redis, HEARTBEAT, { keys: [GATEWAYS, SOLE, LOG], args })
  const [owner, changed = '', ...all] = String(said).split(' ')
  return { sole: owner === id ? 'self' : owner === '-' ? 'none' : 'other', changed, all: all.sort() }
}

/** ARGV: id, calls. Only the gateway that counts alone may add to the log. */
const APPEND = defineScript(`
if redis.call('HGET', KEYS[1], 'owner') ~= ARGV[1] then return 0 end
redis.call('XADD', KEYS[2], '*', 'calls', ARGV[2])
if redis.call('XLEN', KEYS[2]) == 1 then redis.call('PEXPIRE', KEYS[2], ${STATE_MS}) end
return 1
`)

/** Whether this gateway still counts alone. */
export const append = async (redis: Redis, { id, calls }: { id: string; calls: string }): Promise<boolean> =>
  (await runScript(redis, APPEND, { keys: [SOLE, LOG], args: [id, calls] })) === 1
