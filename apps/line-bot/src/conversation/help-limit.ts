import { withDeadline } from '@palanquin/service/deadline'
import { StoreUnavailable } from '@palanquin/service/http/api-error'
import type { Log } from '@palanquin/service/log'
import type { Redis } from '@palanquin/service/redis'
import { ERASE_DEADLINE_MS, REDIS_DEADLINE_MS } from '../redis-deadlines.ts'

/** People also chat, send stickers, think aloud: one hint in a while is enough. */
const HELP_EVERY_MS = 10 * 60_000

const helpedKey = (userId: string): string => `{line}:helped:${userId}`

/** Whether a user may be sent help now: once in ten minutes. Yes while Redis is away. */
export const helpLimit =
  ({
    redis,
    log,
    deadlineMs = REDIS_DEADLINE_MS,
  }: {
    redis: Redis
    log: Log
    deadlineMs?: number | undefined
  }) =>
  async (userId: string): Promise<boolean> => {
    try {
      const set = redis.set(helpedKey(userId), '1', {
        condition: 'NX',
        expiration: { type: 'PX', value: HELP_EVERY_MS },
      })
      return (await withDeadline(set, { what: 'Redis', deadlineMs })) !== null
    } catch (error) {
      const reason = String(error)
      log.debug({ event: 'help.limit_unknown', reason }, 'Redis does not say when help was sent last')
      return true
    }
  }

/** Forgets when a user was sent help. @throws StoreUnavailable */
export async function eraseHelpLimit(redis: Redis, userId: string): Promise<void> {
  try {
    await withDeadline(redis.del(helpedKey(userId)), { what: 'Redis', deadlineMs: ERASE_DEADLINE_MS })
  } catch (error) {
    throw new StoreUnavailable('help limit', error)
  }
}
