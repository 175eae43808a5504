import { createHash } from 'node:crypto'
import { SETUP_LINK_MS } from '@palanquin/domain/setup-link'
import { withDeadline } from '@palanquin/service/deadline'
import { StoreUnavailable } from '@palanquin/service/http/api-error'
import type { Log } from '@palanquin/service/log'
import type { Redis } from '@palanquin/service/redis'
import { newCode } from '../setup-links/code.ts'

const REDIS_DEADLINE_MS = 500
const keyOf = (code: string): string => `profile:{${createHash('sha256').update(code).digest('base64url')}}`

/**
 * Addresses of profiles that an app fetches by itself, without any header: each is good once, for a quarter of an hour. Only
 * the hashes of their codes are kept, in Redis, each with the device that it sets up.
 */
export function profileStore({
  redis,
  log,
  redisDeadlineMs: deadlineMs = REDIS_DEADLINE_MS,
}: {
  redis: Pick<Redis, 'set' | 'getDel'>
  log: Log
  redisDeadlineMs?: number | undefined
}) {
  return {
    /** The code of such an address; undefined while Redis is away, as there are other ways to set an app up. */
    offer: async (deviceId: string): Promise<string | undefined> => {
      const code = newCode()
      const expiration = { type: 'PX', value: SETUP_LINK_MS } as const
      try {
        await withDeadline(redis.set(keyOf(code), deviceId, { expiration }), { what: 'Redis', deadlineMs })
        return code
      } catch (error) {
        log.debug({ event: 'profile.not_offered', reason: String(error) }, 'An app is set up without a link')
        return undefined
      }
    },
    /** The device of a code, this once; null for an unknown code, and for one that was used. @throws StoreUnavailable */
    take: async (code: string): Promise<string | null> => {
      try {
        return await withDeadline(redis.getDel(keyOf(code)), { what: 'Redis', deadlineMs })
      } catch (error) {
        throw new StoreUnavailable('store of set-up profiles', error)
      }
    },
  }
}

export type ProfileStore = ReturnType<typeof profileStore>
