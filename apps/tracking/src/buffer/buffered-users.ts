import { shardOf } from '@palanquin/domain/ids'
import type { Redis } from '@palanquin/service/redis'
import { defineScript, runScript } from '@palanquin/service/redis-script'
import { callRedis } from './call-redis.ts'
import { pendingKey, waitingKey } from './keys.ts'

/**
 * Groups of one shard each: the key of who waits and those of their check-ins; the number of participants and their ids. A
 * command costs Redis 3 to 4 µs, so a group is asked by two, and one by one only where any of them has a check-in.
 */
const FIND = defineScript(
  `
local marks = {}
local key, arg = 1, 1
while key <= #KEYS do
  local users = tonumber(ARGV[arg])
  local waits = redis.call('SMISMEMBER', KEYS[key], unpack(ARGV, arg + 1, arg + users))
  local pending = redis.call('EXISTS', unpack(KEYS, key + 1, key + users))
  for at = 1, users do
    local isFound = waits[at] == 1 or (pending > 0 and redis.call('EXISTS', KEYS[key + at]) == 1)
    marks[#marks + 1] = isFound and '1' or '0'
  end
  key = key + users + 1
  arg = arg + users + 1
end
return table.concat(marks)
`,
  { readOnly: true },
)

/**
 * Those of the participants who have points in the buffer.
 * @throws StoreUnavailable when Redis is away or later than `deadlineMs`
 */
export async function findBuffered(
  redis: Redis,
  userIds: readonly string[],
  deadlineMs: number,
): Promise<Set<string>> {
  const groups = [...Map.groupBy(userIds, shardOf)]
  // On a cluster each shard is a slot of its own.
  const calls = redis.isCluster ? groups.map((group) => [group]) : [groups]
  const marks = await callRedis(Promise.all(calls.map((call) => marksOf(redis, call))), deadlineMs)
  const asked = groups.flatMap(([, users]) => users)
  const found = marks.join('')
  return new Set(asked.filter((_, at) => found[at] === '1'))
}

async function marksOf(redis: Redis, groups: readonly [shard: number, userIds: string[]][]): Promise<string> {
  if (groups.length === 0) return ''
  const keys = groups.flatMap(([shard, users]) => [waitingKey(shard), ...users.map(pendingKey)])
  const args = groups.flatMap(([, users]) => [String(users.length), ...users])
  return String(await runScript(redis, FIND, { keys, args }))
}
