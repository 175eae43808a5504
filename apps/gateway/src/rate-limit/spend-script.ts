import { BatchLoader } from '@palanquin/service/batch-loader'
import type { Redis } from '@palanquin/service/redis'
import { defineScript, runScript } from '@palanquin/service/redis-script'
import type { RedisWindows } from './redis-windows.ts'

/** `amount`: bytes to take; a negative number gives back. */
export type Spend = { key: string; amount: number; limit: number; windowMs: number }
/** `leftMs`: until the window ends. */
export type Spent = { allowed: boolean; used: number; leftMs: number }

/** Keys of one script call, during which Redis serves nothing else: a millisecond. */
const KEYS_MAX = 100

/**
 * KEYS: each the bytes of a window that began with its first ones. ARGV, three for each: bytes, limit, window in ms. Adds them if
 * they fit; a negative number gives back, to a window that still exists. A line for each, `allowed used ms-until-it-ends`.
 */
const SPEND = defineScript(`
local call = redis.call
local function spend(key, bytes, limit, windowMs)
  local known = call('GET', key)
  local used = tonumber(known or '0')
  if bytes < 0 then
    if used > 0 then used = call('INCRBY', key, math.max(bytes, -used)) end
    return 1, used, 0
  end
  local leftMs = known and math.max(0, call('PTTL', key)) or 0
  if used + bytes > limit then return 0, used, leftMs end
  used = call('INCRBY', key, bytes)
  if leftMs > 0 then return 1, used, leftMs end
  call('PEXPIRE', key, windowMs)
  return 1, used, windowMs
end
local lines = {}
for at, key in ipairs(KEYS) do
  lines[at] = string.format('%d %.0f %.0f', spend(key, tonumber(ARGV[at * 3 - 2]), tonumber(ARGV[at * 3 - 1]), tonumber(ARGV[at * 3])))
end
return table.concat(lines, '\\n')
`)

/** Spends by the script, those of a tick in one call; on a cluster each key is its own. Undefined while Redis is away. */
export const sharedSpends = (shared: Pick<RedisWindows, 'attempt'>): BatchLoader<Spend, Spent | undefined> =>
  new BatchLoader({
    loadAll: async (spends) => {
      const spent = await shared.attempt((redis) =>
        redis.isCluster
          ? Promise.all(spends.map((spend) => spendAll(redis, [spend]))).then((each) => each.flat())
          : spendAll(redis, spends),
      )
      return spends.map((_, at) => spent?.[at])
    },
    sizeMax: KEYS_MAX,
  })

async function spendAll(redis: Redis, spends: readonly Spend[]): Promise<Spent[]> {
  const keys = spends.map(({ key }) => key)
  const args = spends.flatMap(({ amount, limit, windowMs }) => [amount, limit, windowMs].map(String))
  const lines = String(await runScript(redis, SPEND, { keys, args })).split('\n')
  return lines.map((line) => {
    const [allowed, used = 0, leftMs = 0] = line.split(' ').map(Number)
    return { allowed: allowed === 1, used, leftMs }
  })
}
