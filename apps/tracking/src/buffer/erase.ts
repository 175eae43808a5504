import { shardOf } from '@palanquin/domain/ids'
import type { Redis } from '@palanquin/service/redis'
import { defineScript, runScript } from '@palanquin/service/redis-script'
import { callRedis } from './call-redis.ts'
import { HEAD_OF_ENTRY } from './entry.ts'
import { countKey, duplicatePrefix, erasedKey, pendingKey, pointsKey, recentKey, waitingKey } from './keys.ts'

/** Entries searched at a time: of a thousand points each some 7 MB, a few milliseconds of Redis. */
const PAGE_ENTRIES = 128
/** Keys of one step of a scan. */
const SCAN_KEYS = 1_000

/** Lua: the id of the last entry of a shard's stream. */
const LAST_ENTRY = (key: string): string => `
local last = '0-0'
if redis.call('EXISTS', ${key}) == 1 then
  local info = redis.call('XINFO', 'STREAM', ${key})
  for i = 1, #info, 2 do if info[i] == 'last-generated-id' then last = info[i + 1] end end
end`

/** From now on what was received until `at` is dropped; entries behind the returned one belong to a new participant. */
const BEGIN = defineScript(`
local before = redis.call('HGET', KEYS[1], ARGV[1])
local at = math.max(tonumber(ARGV[2]), tonumber(before or 0))
redis.call('HSET', KEYS[1], ARGV[1], string.format('%.0f', at))
redis.call('DEL', KEYS[2], KEYS[3])
redis.call('SREM', KEYS[4], ARGV[3])
${LAST_ENTRY('KEYS[5]')}
return { string.format('%.0f', at), last }
`)

/** Sets the time until which everything is dropped, unless another erasure of the participant has begun. */
const END = defineScript(`
if redis.call('HGET', KEYS[1], ARGV[1]) == ARGV[2] then redis.call('HSET', KEYS[1], ARGV[1], ARGV[3]) end
${LAST_ENTRY('KEYS[2]')}
return last
`)

/** Removes the participant's entries of a page and reduces the count; replies with the start of the next page. */
const ERASE_PAGE = defineScript(`${HEAD_OF_ENTRY}
local page = redis.call('XRANGE', KEYS[1], ARGV[1], ARGV[2], 'COUNT', ARGV[3])
local points = 0
for _, entry in ipairs(page) do
  local user, _, number = headOf(entry[2])
  if user == ARGV[4] then
    redis.call('XDEL', KEYS[1], entry[1])
    points = points + (tonumber(number) or 0)
  end
end
if points > 0 and redis.call('EXISTS', KEYS[2]) == 1 and redis.call('DECRBY', KEYS[2], points) < 0 then
  redis.call('SET', KEYS[2], 0)
end
return { #page == tonumber(ARGV[3]) and '(' .. page[#page][1] or '', points }
`)

/** A duplicate key holds `<receivedAt>|…`; that of a new participant of the same name stays. */
const ERASE_DUPLICATE = defineScript(`
local at = string.match(redis.call('GET', KEYS[1]) or '', '^(%d+)')
if at and tonumber(at) > tonumber(ARGV[1]) then return 0 end
return redis.call('DEL', KEYS[1])
`)

/** Until when (epoch ms), and up to which entry of the shard's stream, everything of the participant is void. */
export type ErasedUpTo = { at: number; upTo: string }

/** Closes the buffer to everything that was received of the participant up to `at`. @throws StoreUnavailable */
export async function beginErasure(
  redis: Redis,
  { userId, token, at }: { userId: string; token: string; at: number },
): Promise<ErasedUpTo> {
  const shard = shardOf(userId)
  const reply = await callRedis(
    runScript(redis, BEGIN, {
      keys: [erasedKey(shard), pendingKey(userId), recentKey(userId), waitingKey(shard), pointsKey(shard)],
      args: [token, String(at), userId],
    }),
  )
  const [until, upTo]: unknown[] = Array.isArray(reply) ? reply : []
  return { at: Number(until), upTo: String(upTo) }
}

/** From `at` on the buffer takes what is received of a new participant; resolves with its last entry. @throws StoreUnavailable */
export async function endErasure(
  redis: Redis,
  { userId, token, closedUntil, at }: { userId: string; token: string; closedUntil: number; at: number },
): Promise<string> {
  const shard = shardOf(userId)
  const keys = [erasedKey(shard), pointsKey(shard)]
  return String(
    await callRedis(runScript(redis, END, { keys, args: [token, String(closedUntil), String(at)] })),
  )
}

/**
 * Removes everything of the participant that was in the buffer when the erasure began. Resolves with the number of its
 * points. @throws StoreUnavailable; to be called again then
 */
export async function eraseBuffered(redis: Redis, userId: string, { at, upTo }: ErasedUpTo): Promise<number> {
  const shard = shardOf(userId)
  let erased = 0
  for (let start = '-'; start !== ''; ) {
    const reply = await callRedis(
      runScript(redis, ERASE_PAGE, {
        keys: [pointsKey(shard), countKey(shard)],
        args: [start, upTo, String(PAGE_ENTRIES), userId],
      }),
    )
    const [next, points]: unknown[] = Array.isArray(reply) ? reply : []
    start = String(next ?? '')
    erased += Number(points)
  }
  await eraseDuplicateKeys(redis, userId, at)
  return erased
}

/** They expire within minutes, but their names hold the userId and places, which are not in the stream any more. */
async function eraseDuplicateKeys(redis: Redis, userId: string, at: number): Promise<void> {
  let cursor = '0'
  do {
    const page = await callRedis(
      redis.scan(cursor, { MATCH: `${duplicatePrefix(userId)}*`, COUNT: SCAN_KEYS }),
    )
    for (const key of page.keys)
      await callRedis(runScript(redis, ERASE_DUPLICATE, { keys: [key], args: [String(at)] }))
    cursor = page.cursor
  } while (cursor !== '0')
}
