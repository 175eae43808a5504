import { shardOf } from '@palanquin/domain/ids'
import { DUPLICATE_WINDOW_MS } from '@palanquin/domain/point'
import type { ErasureTokenOf } from '@palanquin/service/erasure-token'
import type { Redis } from '@palanquin/service/redis'
import { defineScript, runScript } from '@palanquin/service/redis-script'
import { callRedis } from './call-redis.ts'
import { ENTRY_FIELD, entryText, type Tuple } from './entry.ts'
import { divide, reunite } from './groups.ts'
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

/** Keys of each shard, and arguments of each check-in. */
const KEYS_PER_SHARD = 3
const ARGUMENTS_PER_CHECKIN = 6

/**
 * One script, so that a failed write does not use up the duplicate key: Redis refuses the first write of a script or none.
 * Live, the key expires by the clock of Redis; a replay has check-ins that arrived minutes apart, so it compares their times.
 *
 * Check-ins come shard by shard: the number of a shard's, then their arguments. The keys of a participant are named by arguments,
 * since a declared key costs Redis more than one that is only used; they are in the slot of the declared ones. Whatever can be
 * put together beforehand comes so, because a text of Lua costs about as much as an argument. The reply has a word for each.
 */
const APPEND_CHECKINS = defineScript(`
local call = redis.call
local mode, window, ttl = ARGV[1], tonumber(ARGV[2]), ARGV[3]

-- Why it is not to be appended.
local function repeats(key, claim)
  local first = call('SET', key, claim, 'EX', ttl, 'NX', 'GET')
  if not first then return nil end
  local at, firstMode, firstId = string.match(first, '^(%d+)|(%a+)|(.*)$')
  local receivedAt, id = string.match(claim, '^(%d+)|%a+|(.*)$')
  if firstId == id then return 'known' end
  if mode == 'live' and firstMode == 'live' then return 'suppressed' end
  if at and math.abs(tonumber(at) - tonumber(receivedAt)) < window then return 'suppressed' end
  call('SET', key, claim, 'EX', ttl)
end

local function isErased(key, token, claim)
  local erasedAt = call('HGET', key, token)
  return erasedAt and tonumber(string.match(claim, '^%d+')) <= tonumber(erasedAt)
end

local words = {}
local a = 4
for k = 1, #KEYS, ${KEYS_PER_SHARD} do
  local points, erased, appended = KEYS[k], KEYS[k + 2], 0
  local anyErased = call('EXISTS', erased) == 1
  local last = a + ARGV[a] * ${ARGUMENTS_PER_CHECKIN}
  for at = a + 1, last, ${ARGUMENTS_PER_CHECKIN} do
    local claim = ARGV[at + 1]
    local word = anyErased and isErased(erased, ARGV[at + 5], claim) and 'erased' or repeats(ARGV[at], claim)
    if not word then
      local entry = call('XADD', points, '*', '${ENTRY_FIELD}', ARGV[at + 3])
      call('RPUSH', ARGV[at + 2], entry .. '|' .. ARGV[at + 4])
      appended = appended + 1
    end
    words[#words + 1] = word or 'appended'
  end
  if appended > 0 then call('INCRBY', KEYS[k + 1], appended) end
  a = last + 1
end
return table.concat(words, ' ')
`)

type AppendOptions = { mode: AppendMode; deadlineMs: number }

/**
 * Puts check-ins into the buffer, each once, those of a shard in their order; on a cluster all are of one shard. Resolves
 * with the outcome of each.
 * @throws StoreUnavailable when Redis is away, late or full; some may be there then, and trying again is safe
 */
export async function appendCheckins(
  redis: Redis,
  checkins: readonly AcceptedCheckin[],
  { tokenOf, mode, deadlineMs }: AppendOptions & { tokenOf: ErasureTokenOf },
): Promise<Appended[]> {
  const keys: string[] = []
  const args = [mode, String(DUPLICATE_WINDOW_MS), String(mode === 'live' ? LIVE_KEY_S : REPLAY_KEY_S)]
  const groups = divide(checkins, ({ userId }) => shardOf(userId))
  for (const { key: shard, members } of groups) {
    keys.push(pointsKey(shard), countKey(shard), erasedKey(shard))
    args.push(String(members.length))
    for (const { id, userId, source, receivedAt, point } of members) {
      const [recordedAt, lat, lng] = point
      const packed = JSON.stringify([point])
      args.push(
        duplicateKey(userId, lat, lng),
        `${receivedAt}|${mode}|${id}`,
        pendingKey(userId),
        entryText({ userId, kind: 'checkin', source, receivedAt, count: 1, packed }),
        String(recordedAt),
        tokenOf(userId),
      )
    }
  }
  const reply = await callRedis(runScript(redis, APPEND_CHECKINS, { keys, args }), deadlineMs)
  return reunite(groups, String(reply).split(' ')).map(wordOf)
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
