import { shardOf, shardTag } from '@palanquin/domain/ids'
import { withDeadline } from '@palanquin/service/deadline'
import type { Log } from '@palanquin/service/log'
import type { Redis } from '@palanquin/service/redis'
import { type PendingCheckin, readPending } from './pending.ts'

/** A thousand short lists take Redis some ten milliseconds; past this the page goes without them. */
const REDIS_DEADLINE_MS = 1_000

export type PendingOf = (userIds: readonly string[]) => Promise<ReadonlyMap<string, PendingCheckin[]>>

/**
 * The check-ins in tracking's buffer of many participants, in one batch of commands. Without Redis nothing is known of
 * them, as in a single profile.
 */
export const pendingReader =
  ({ redis, log }: { redis: Redis; log: Log }): PendingOf =>
  async (userIds) => {
    try {
      const lists = await withDeadline(
        Promise.all(userIds.map((userId) => redis.lRange(pendingKey(userId), 0, -1))),
        { what: 'Redis', deadlineMs: REDIS_DEADLINE_MS },
      )
      return new Map(userIds.map((userId, at) => [userId, readPending(lists[at] ?? [])]))
    } catch (error) {
      log.debug({ reason: String(error) }, 'a list goes without the check-ins in the buffer')
      return new Map()
    }
  }

export type WaitingOf = (userIds: readonly string[]) => Promise<readonly string[]>

/** Which of many participants have anything in tracking's buffer; without Redis nobody is known to. */
export const waitingReader =
  ({ redis, log }: { redis: Redis; log: Log }): WaitingOf =>
  async (userIds) => {
    const isWaiting = async (userId: string) => {
      const [checkins, syncs] = await Promise.all([
        redis.exists(pendingKey(userId)),
        redis.sIsMember(waitingKey(userId), userId),
      ])
      return checkins > 0 || Boolean(syncs)
    }
    try {
      const waiting = await withDeadline(Promise.all(userIds.map(isWaiting)), {
        what: 'Redis',
        deadlineMs: REDIS_DEADLINE_MS,
      })
      return userIds.filter((_, at) => waiting[at])
    } catch (error) {
      log.debug({ reason: String(error) }, 'a list goes without those who are in the buffer alone')
      return []
    }
  }

const waitingKey = (userId: string): string => `${shardTag(shardOf(userId))}:waiting`
const pendingKey = (userId: string): string => `${shardTag(shardOf(userId))}:pending:${userId}`
