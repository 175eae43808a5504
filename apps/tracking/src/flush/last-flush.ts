import { toIso } from '@palanquin/domain/time'
import type { Redis } from '@palanquin/service/redis'
import { callRedis } from '../buffer/call-redis.ts'

const LAST_KEY = 'flush:last'
/** Specification 8. */
const LAST_TTL_S = 86_400
const READ_DEADLINE_MS = 300

/** When the last whole flush ended: in Redis for all processes, and in memory for when Redis is away. */
export function lastFlush(redis: Redis) {
  let remembered: string | null = null
  const newer = (a: string | null, b: string | null): string | null =>
    a === null || (b !== null && b > a) ? b : a
  return {
    /** @throws StoreUnavailable */
    record: async (now: number): Promise<string> => {
      const at = toIso(now)
      remembered = newer(remembered, at)
      await callRedis(redis.set(LAST_KEY, at, { expiration: { type: 'EX', value: LAST_TTL_S } }))
      return at
    },
    /** ISO 8601, or null before the first; never rejects. */
    read: async (): Promise<string | null> => {
      const stored = redis.isReady
        ? await callRedis(redis.get(LAST_KEY), READ_DEADLINE_MS).catch(() => null)
        : null
      remembered = newer(remembered, stored)
      return remembered
    },
  }
}

export type LastFlush = ReturnType<typeof lastFlush>
