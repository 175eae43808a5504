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
 * they fit; a negative number gives back, to a window that still exists. A line for each, `allowed used ms-until-it-ends`. A key
 * that is given several times is counted in order, and read and written once: a crowd behind one address shares it.
 */
const SPEND = defineScript(`
local call = redis.call
local windows, order, lines = {}, {}, {}
local function windowOf(key, lastsMs)
  local window = windows[key]
  if window then return window end
  local used = call('GET', key)
  window = {used = tonumber(used or '0'), leftMs = used and math.max(0, call('PTTL', key)) or 0, added = 0, lastsMs = lastsMs}
  windows[key], order[#order + 1] = window, key
  return window
end
local function spend(window, bytes, limit)
  if bytes < 0 then bytes = math.max(bytes, -window.used)
  elseif window.used + bytes > limit then return 0 end
  window.used, window.added, window.isTaken = window.used + bytes, window.added + bytes, window.isTaken or bytes >= 0
  return 1
end
for at, key in ipairs(KEYS) do
  local window = windowOf(key, ARGV[at * 3])
  local allowed = spend(window, tonumber(ARGV[at * 3 - 2]), tonumber(ARGV[at * 3 - 1]))
  if window.isTaken and window.leftMs == 0 then window.leftMs, window.isNew = tonumber(window.lastsMs), true end
  lines[at] = string.format('%d %.0f %.0f', allowed, window.used, window.leftMs)
end
for _, key in ipairs(order) do
  local window = windows[key]
  if window.added ~= 0 or window.isNew then call('INCRBY', key, string.format('%.0f', window.added)) end
  if window.isNew then call('PEXPIRE', key, window.lastsMs) end
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
