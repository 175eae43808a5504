import { withDeadline } from '@palanquin/service/deadline'
import type { Log } from '@palanquin/service/log'
import type { Redis } from '@palanquin/service/redis'
import { helpedKey, REDIS_DEADLINE_MS } from '../inbox/keys.ts'

/** People also chat, send stickers, think aloud: one hint in a while is enough. */
const HELP_EVERY_MS = 10 * 60_000

/** Whether a person may be told how the bot is used: once in ten minutes. Yes while Redis is away. */
export const helpLimit =
  ({ redis, log }: { redis: Redis; log: Log }) =>
  async (userId: string): Promise<boolean> => {
    try {
      const set = redis.set(helpedKey(userId), '1', {
        condition: 'NX',
        expiration: { type: 'PX', value: HELP_EVERY_MS },
      })
      return (await withDeadline(set, { what: 'Redis', deadlineMs: REDIS_DEADLINE_MS })) !== null
    } catch (error) {
      log.debug({ reason: String(error) }, 'nobody can tell when help was given')
      return true
    }
  }
