import { shardOf, shardTag } from '@palanquin/domain/ids'
import { chunk } from '@palanquin/service/chunk'
import { withDeadline } from '@palanquin/service/deadline'
import type { Log } from '@palanquin/service/log'
import type { Redis } from '@palanquin/service/redis'
import { defineScript, runScript, type Script } from '@palanquin/service/redis-script'
import { type PendingCheckin, readPending } from './pending-checkins.ts'

/** A thousand short lists take milliseconds; past this a list is served without them. */
const REDIS_DEADLINE_MS = 1_000
/** Blocks Redis for about a millisecond. */
const USERS_PER_SCRIPT = 250

/** Read-only: tracking owns these keys. */
const READ_PENDING = defineScript(
  `
local lists = {}
for at, key in ipairs(KEYS) do lists[at] = table.concat(redis.call('LRANGE', key, 0, -1), ' ') end
return lists`,
  { readOnly: true },
)
/** Two keys and a reply each: 1 for a participant with a check-in or a sync in the buffer. */
const IS_BUFFERED = defineScript(
  `
local waiting = {}
for at, userId in ipairs(ARGV) do
  local found = redis.call('EXISTS', KEYS[at * 2 - 1]) + redis.call('SISMEMBER', KEYS[at * 2], userId)
  waiting[at] = found > 0 and 1 or 0
end
return waiting`,
  { readOnly: true },
)

type Reading = { redis: Redis; log: Log; redisDeadlineMs?: number | undefined }

/** Runs a script for many participants, in batches; on a cluster a batch has one shard. */
async function ofEach(
  { redis, redisDeadlineMs: deadlineMs = REDIS_DEADLINE_MS }: Reading,
  userIds: readonly string[],
  { script, keysOf }: { script: Script; keysOf: (userId: string) => string[] },
): Promise<Map<string, unknown>> {
  const groups = redis.isCluster ? [...Map.groupBy(userIds, shardOf).values()] : [userIds]
  const batches = groups.flatMap((group) => chunk(group, USERS_PER_SCRIPT))
  const replies = Promise.all(
    batches.map((batch) => runScript(redis, script, { keys: batch.flatMap(keysOf), args: batch })),
  )
  const found = new Map<string, unknown>()
  for (const [at, reply] of (await withDeadline(replies, { what: 'Redis', deadlineMs })).entries())
    for (const [place, userId] of (batches[at] ?? []).entries())
      found.set(userId, Array.isArray(reply) ? reply[place] : undefined)
  return found
}

export type ReadBufferedCheckins = (
  userIds: readonly string[],
) => Promise<ReadonlyMap<string, PendingCheckin[]>>

/** Reads the buffered check-ins of many participants; empty without Redis, as in a single profile. */
export const bufferedCheckinsReader =
  (reading: Reading): ReadBufferedCheckins =>
  async (userIds) => {
    try {
      const lists = await ofEach(reading, userIds, {
        script: READ_PENDING,
        keysOf: (userId) => [pendingKey(userId)],
      })
      return new Map([...lists].map(([userId, list]) => [userId, readPending(elementsOf(list))]))
    } catch (error) {
      reading.log.debug(
        { event: 'buffer.checkins_unavailable', reason: String(error) },
        'List is served without buffered check-ins',
      )
      return new Map()
    }
  }

/** The elements of a list that a script joined by spaces. */
export const elementsOf = (joined: unknown): string[] =>
  typeof joined === 'string' && joined !== '' ? joined.split(' ') : []

export type FindBuffered = (userIds: readonly string[]) => Promise<readonly string[]>

/** Selects the participants with anything in tracking's buffer; none without Redis. */
export const bufferedFinder =
  (reading: Reading): FindBuffered =>
  async (userIds) => {
    const keysOf = (userId: string) => [pendingKey(userId), waitingKey(userId)]
    try {
      const buffered = await ofEach(reading, userIds, { script: IS_BUFFERED, keysOf })
      return userIds.filter((userId) => buffered.get(userId) === 1)
    } catch (error) {
      reading.log.debug(
        { event: 'buffer.participants_unavailable', reason: String(error) },
        'List is served without unregistered participants',
      )
      return []
    }
  }

const waitingKey = (userId: string): string => `${shardTag(shardOf(userId))}:waiting`
const pendingKey = (userId: string): string => `${shardTag(shardOf(userId))}:pending:${userId}`
