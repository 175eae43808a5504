import { shardOf } from '@palanquin/domain/ids'
import { DUPLICATE_WINDOW_MS } from '@palanquin/domain/point'
import type { Redis } from '@palanquin/service/redis'
import { defineScript, runScript } from '@palanquin/service/redis-script'
import type { ErasureTokenOf } from '../erasure/token.ts'
import { callRedis } from './call-redis.ts'
import type { Tuple } from './entry.ts'
import { KIND_LETTER } from './entry.ts'
import { countKey, duplicateKey, erasedKey, pendingKey, pointsKey } from './keys.ts'

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
 * participant was erased after it was received.
 */
export type Appended = 'appended' | 'suppressed' | 'known' | 'erased'

/** A key of a replay suppresses only check-ins of its minute, by the time in it; it outlasts the rest of the replay. */
const REPLAY_KEY_S = 900
const LIVE_KEY_S = DUPLICATE_WINDOW_MS / 1000

/** Redis runs one script at a time: so many take a millisecond or two. */
export const CHECKINS_PER_SCRIPT_MAX = 100

/**
 * One script, so that a failed write does not use up the duplicate key: Redis refuses the first write of a script or none.
 * Live, the key expires by the clock of Redis; a replay has check-ins that arrived minutes apart, so it compares their times.
 * Five keys and seven arguments for each check-in, in their order; the reply has a word for each.
 */
const APPEND_CHECKINS = defineScript(`
local call = redis.call
local mode, window, ttl = ARGV[1], tonumber(ARGV[2]), ARGV[3]
local appended, erasedKeys = {}, {}
for at = 5, #KEYS, 5 do erasedKeys[at / 5] = KEYS[at] end
local anyErased = call('EXISTS', unpack(erasedKeys)) > 0
local function isErased(key, token, receivedAt)
  local erasedAt = anyErased and call('HGET', key, token)
  return erasedAt and tonumber(receivedAt) <= tonumber(erasedAt)
end
local function append(k, a)
  local receivedAt, id, count = ARGV[a + 1], ARGV[a + 2], KEYS[k + 4]
  if isErased(KEYS[k + 5], ARGV[a + 7], receivedAt) then return 'erased' end
  local claim = receivedAt .. '|' .. mode .. '|' .. id
  local first = call('SET', KEYS[k + 1], claim, 'EX', ttl, 'NX', 'GET')
  if first then
    local at, firstMode, firstId = string.match(first, '^(%d+)|(%a+)|(.*)$')
    if firstId == id then return 'known' end
    if mode == 'live' and firstMode == 'live' then return 'suppressed' end
    if at and math.abs(tonumber(at) - tonumber(receivedAt)) < window then return 'suppressed' end
    call('SET', KEYS[k + 1], claim, 'EX', ttl)
  end
  local entry = call('XADD', KEYS[k + 2], '*', 'u', ARGV[a + 3], 'k', '${KIND_LETTER.checkin}', 's', ARGV[a + 4], 'r', receivedAt, 'n', '1', 'p', ARGV[a + 5])
  call('RPUSH', KEYS[k + 3], entry .. '|' .. ARGV[a + 6])
  appended[count] = (appended[count] or 0) + 1
  return 'appended'
end
local words = {}
for at = 1, #KEYS / 5 do words[at] = append(at * 5 - 5, at * 7 - 4) end
for count, more in pairs(appended) do call('INCRBY', count, more) end
return table.concat(words, ' ')
`)

type AppendOptions = { mode: AppendMode; deadlineMs: number }

/**
 * Puts check-ins into the buffer, each once, in their order; on a cluster all are of one shard. Resolves with the outcome
 * of each.
 * @throws StoreUnavailable when Redis is away, late or full; some may be there then, and trying again is safe
 */
export async function appendCheckins(
  redis: Redis,
  checkins: readonly AcceptedCheckin[],
  { tokenOf, mode, deadlineMs }: AppendOptions & { tokenOf: ErasureTokenOf },
): Promise<Appended[]> {
  const keys: string[] = []
  const args = [mode, String(DUPLICATE_WINDOW_MS), String(mode === 'live' ? LIVE_KEY_S : REPLAY_KEY_S)]
  for (const { id, userId, source, receivedAt, point } of checkins) {
    const shard = shardOf(userId)
    const [recordedAt, lat, lng] = point
    keys.push(
      duplicateKey(userId, lat, lng),
      pointsKey(shard),
      pendingKey(userId),
      countKey(shard),
      erasedKey(shard),
    )
    const packed = JSON.stringify([point])
    args.push(String(receivedAt), id, userId, source, packed, String(recordedAt), tokenOf(userId))
  }
  const reply = await callRedis(runScript(redis, APPEND_CHECKINS, { keys, args }), deadlineMs)
  const words = String(reply).split(' ')
  return checkins.map((_, at) => wordOf(words[at]))
}

/** The same for one. */
export async function appendCheckin(
  redis: Redis,
  checkin: AcceptedCheckin,
  { token, ...options }: AppendOptions & { token: string },
): Promise<Appended> {
  const [word] = await appendCheckins(redis, [checkin], { ...options, tokenOf: () => token })
  return wordOf(word)
}

function wordOf(word: string | undefined): Appended {
  if (word === 'appended' || word === 'suppressed' || word === 'known' || word === 'erased') return word
  throw new TypeError('the check-in script gave an unknown reply')
}
