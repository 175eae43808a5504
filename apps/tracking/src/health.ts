import { ok } from '@palanquin/service/http/app'
import type { Probe } from '@palanquin/service/probe'
import type { Redis } from '@palanquin/service/redis'
import { Elysia } from 'elysia'
import { bufferedPoints } from './buffer/buffered-points.ts'
import type { LastFlush } from './flush/last-flush.ts'
import type { Journal } from './wal/journal.ts'

export type HealthOptions = {
  redis: Redis
  journal: Journal
  last: LastFlush
  probes: { postgres: () => Promise<Probe>; redis: () => Promise<Probe> }
}

/** `GET /internal/health`: the GPS part of the gateway's `/health`. Answers whatever store is down. */
export function healthRoutes({ redis, journal, last, probes }: HealthOptions) {
  let lastBuffered = 0
  return new Elysia({ name: 'health' }).get(
    '/internal/health',
    async () => {
      const [d1, kv, lastFlush, buffered] = await Promise.all([
        probes.postgres(),
        probes.redis(),
        last.read(),
        bufferedPoints(redis),
      ])
      lastBuffered = buffered ?? lastBuffered
      return ok({
        d1: d1.ok ? 'ok' : 'error',
        kv: kv.ok ? 'ok' : 'error',
        lastFlush,
        bufferSize: lastBuffered + journal.stats().waiting,
      })
    },
    { detail: { hide: true } },
  )
}
