import { shardOf } from '@palanquin/domain/ids'
import { DUPLICATE_WINDOW_MS } from '@palanquin/domain/point'
import type { Redis } from '@palanquin/service/redis'
import type { Tuple } from './entry.ts'
import { KIND_LETTER } from './entry.ts'
import { countKey, duplicateKey, erasedKey, pendingKey, pointsKey } from './keys.ts'
import { reachRedis } from './reach.ts'
import { defineScript, runScript } from './script.ts'

/** A check-in as the journal keeps it and the buffer takes it. */
export type AcceptedCheckin = {
  id: string
  userId: string
  source: string
  /** Epoch ms. */
  receivedAt: number
  point: Tuple
}

export type AppendMode = 'live' | 'replay'
/**
 * `suppressed`: the same place within 60 s of the first. `known`: this very check-in is there already. `erased`: the
 * participant was erased after it had been received.
 */
export type Appended = 'appended' | 'suppressed' | 'known' | 'erased'

/**
 * A key that a replay left serves no live check-in but those of its minute, which it tells by the times it holds;
 * it stays long enough for the rest of the replay to meet it.
 */
const REPLAY_KEY_S = 900
const LIVE_KEY_S = DUPLICATE_WINDOW_MS / 1000

/**
 * One script, so that a write that fails does not use up the duplicate key. Live, the key's age is its time to live,
 * which Redis's own clock counts; a replay brings together what arrived minutes apart, so there the times are compared.
 */
const APPEND_CHECKIN = defineScript(`
local erasedAt = redis.call('HGET', KEYS[5], ARGV[10])
if erasedAt and tonumber(ARGV[2]) <= tonumber(erasedAt) then return 'erased' end
local held = redis.call('GET', KEYS[1])
if held then
  local at, mode, id = string.match(held, '^(%d+)|(%a+)|(.*)$')
  if id == ARGV[3] then return 'known' end
  if ARGV[1] == 'live' and mode == 'live' then return 'suppressed' end
  if at and math.abs(tonumber(at) - tonumber(ARGV[2])) < tonumber(ARGV[8]) then return 'suppressed' end
end
local entry = redis.call('XADD', KEYS[2], '*', 'u', ARGV[4], 'k', '${KIND_LETTER.checkin}', 's', ARGV[5], 'r', ARGV[2], 'n', '1', 'p', ARGV[6])
redis.call('RPUSH', KEYS[3], entry .. '|' .. ARGV[7])
redis.call('INCRBY', KEYS[4], 1)
redis.call('SET', KEYS[1], ARGV[2] .. '|' .. ARGV[1] .. '|' .. ARGV[3], 'EX', ARGV[9])
return 'appended'
`)

/**
 * Puts a check-in into the buffer, once. `mark` is the participant's.
 * @throws StoreUnavailable when Redis is away, late or full; trying again is safe
 */
export async function appendCheckin(
  redis: Redis,
  { id, userId, source, receivedAt, point }: AcceptedCheckin,
  { mark, mode, deadlineMs }: { mark: string; mode: AppendMode; deadlineMs: number },
): Promise<Appended> {
  const shard = shardOf(userId)
  const [recordedAt, lat, lng] = point
  const reply = await reachRedis(
    runScript(redis, APPEND_CHECKIN, {
      keys: [
        duplicateKey(userId, lat, lng),
        pointsKey(shard),
        pendingKey(userId),
        countKey(shard),
        erasedKey(shard),
      ],
      args: [
        mode,
        String(receivedAt),
        id,
        userId,
        source,
        JSON.stringify([point]),
        String(recordedAt),
        String(DUPLICATE_WINDOW_MS),
        String(mode === 'live' ? LIVE_KEY_S : REPLAY_KEY_S),
        mark,
      ],
    }),
    deadlineMs,
  )
  if (reply === 'appended' || reply === 'suppressed' || reply === 'known' || reply === 'erased') return reply
  throw new TypeError('the check-in script answered what it cannot answer')
}
