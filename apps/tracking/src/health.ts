import { dueAfter } from '@palanquin/service/cron-pattern'
import { ok } from '@palanquin/service/http/app'
import type { Probe } from '@palanquin/service/probe'
import type { Redis } from '@palanquin/service/redis'
import { Elysia } from 'elysia'
import { bufferedPoints } from './buffer/buffered-points.ts'
import type { LastFlush } from './flush/last-flush.ts'
import type { Journal } from './journal/journal.ts'

export type HealthOptions = {
  redis: Redis
  journal: Journal
  last: LastFlush
  now: () => number
  /** When the buffer is flushed: a cron pattern. */
  flushSchedule: string
  probes: { postgres: () => Promise<Probe>; redis: () => Promise<Probe> }
}

/** `GET /internal/health`: the GPS part of the gateway's `/health`. Answers whatever store is down. */
export function healthRoutes({ redis, journal, last, now, flushSchedule, probes }: HealthOptions) {
  const startedAt = now()
  /** Points in Redis as last seen; null before Redis was there. */
  let inRedis: number | null = null
  const isOverdue = (lastFlush: string | null): boolean => {
    const afterMs = Math.max(startedAt, lastFlush === null ? 0 : Date.parse(lastFlush))
    return dueAfter(flushSchedule, { afterMs, times: 2 }) <= now()
  }
  return new Elysia({ name: 'health' }).get(
    '/internal/health',
    async () => {
      const [d1, kv, lastFlush, buffered] = await Promise.all([
        probes.postgres(),
        probes.redis(),
        last.read(),
        bufferedPoints(redis),
      ])
      inRedis = buffered ?? inRedis
      const { waiting, unflushed } = journal.stats()
      // What an earlier process brought to Redis is in the journal too until PostgreSQL has it.
      const bufferSize = inRedis === null ? unflushed : inRedis + waiting
      return ok({
        d1: d1.ok ? 'ok' : 'error',
        kv: kv.ok ? 'ok' : 'error',
        flush: bufferSize > 0 && isOverdue(lastFlush) ? 'overdue' : 'ok',
        lastFlush,
        bufferSize,
      })
    },
    { detail: { hide: true } },
  )
}
