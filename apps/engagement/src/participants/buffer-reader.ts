import { shardOf, shardTag } from '@palanquin/domain/ids'
import { chunk } from '@palanquin/service/chunk'
import { withDeadline } from '@palanquin/service/deadline'
import type { Log } from '@palanquin/service/log'
import type { Redis } from '@palanquin/service/redis'
import { defineScript, runScript, type Script } from '@palanquin/service/redis-script'
import { type PendingCheckin, readPending } from './pending-checkins.ts'

/** A thousand short lists take Redis some milliseconds; past this the page goes without them. */
const REDIS = { what: 'Redis', deadlineMs: 1_000 }
/** What Redis does at one go, with nobody else in between: a millisecond. */
const USERS_PER_SCRIPT = 250

/** Read-only: these keys are tracking's to write. */
const PENDING_OF = defineScript(
  `
local lists = {}
for at, key in ipairs(KEYS) do lists[at] = table.concat(redis.call('LRANGE', key, 0, -1), ' ') end
return lists`,
  { readOnly: true },
)
/** Two keys and an answer each: 1 for who has a check-in or a sync in the buffer. */
const BUFFERED_OF = defineScript(
  `
local waiting = {}
for at, userId in ipairs(ARGV) do
  local found = redis.call('EXISTS', KEYS[at * 2 - 1]) + redis.call('SISMEMBER', KEYS[at * 2], userId)
  waiting[at] = found > 0 and 1 or 0
end
return waiting`,
  { readOnly: true },
)

/** An answer for each of many participants, in their order; on a cluster a script is of one shard. */
async function ofEach(
  redis: Redis,
  userIds: readonly string[],
  { script, keysOf }: { script: Script; keysOf: (userId: string) => string[] },
): Promise<Map<string, unknown>> {
  const groups = redis.isCluster ? [...Map.groupBy(userIds, shardOf).values()] : [userIds]
  const pieces = groups.flatMap((group) => chunk(group, USERS_PER_SCRIPT))
  const answers = Promise.all(
    pieces.map((piece) => runScript(redis, script, { keys: piece.flatMap(keysOf), args: piece })),
  )
  const found = new Map<string, unknown>()
  for (const [at, answer] of (await withDeadline(answers, REDIS)).entries())
    for (const [place, userId] of (pieces[at] ?? []).entries())
      found.set(userId, Array.isArray(answer) ? answer[place] : undefined)
  return found
}

export type PendingOf = (userIds: readonly string[]) => Promise<ReadonlyMap<string, PendingCheckin[]>>

/**
 * The check-ins in tracking's buffer of many participants. Without Redis nothing is known of them, as in a single
 * profile.
 */
export const pendingReader =
  ({ redis, log }: { redis: Redis; log: Log }): PendingOf =>
  async (userIds) => {
    try {
      const lists = await ofEach(redis, userIds, {
        script: PENDING_OF,
        keysOf: (userId) => [pendingKey(userId)],
      })
      return new Map([...lists].map(([userId, list]) => [userId, readPending(elementsOf(list))]))
    } catch (error) {
      log.debug({ reason: String(error) }, 'a list goes without the check-ins in the buffer')
      return new Map()
    }
  }

/** The elements of a list that a script joined by spaces. */
export const elementsOf = (joined: unknown): string[] =>
  typeof joined === 'string' && joined !== '' ? joined.split(' ') : []

export type BufferedOf = (userIds: readonly string[]) => Promise<readonly string[]>

/** Which of many participants have anything in tracking's buffer; without Redis nobody is known to. */
export const bufferedReader =
  ({ redis, log }: { redis: Redis; log: Log }): BufferedOf =>
  async (userIds) => {
    const keysOf = (userId: string) => [pendingKey(userId), waitingKey(userId)]
    try {
      const waiting = await ofEach(redis, userIds, { script: BUFFERED_OF, keysOf })
      return userIds.filter((userId) => waiting.get(userId) === 1)
    } catch (error) {
      log.debug({ reason: String(error) }, 'a list goes without those who are in the buffer alone')
      return []
    }
  }

const waitingKey = (userId: string): string => `${shardTag(shardOf(userId))}:waiting`
const pendingKey = (userId: string): string => `${shardTag(shardOf(userId))}:pending:${userId}`
