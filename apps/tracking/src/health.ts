import { SHARD_COUNT } from '@palanquin/domain/ids'
import { ok } from '@palanquin/service/http/app'
import type { Probe } from '@palanquin/service/probe'
import type { Redis } from '@palanquin/service/redis'
import { Elysia } from 'elysia'
import { callRedis } from './buffer/call-redis.ts'
import { countKey } from './buffer/keys.ts'
import type { LastFlush } from './flush/last-flush.ts'
import type { Journal } from './wal/journal.ts'

const READ_DEADLINE_MS = 300

/** Points in the buffer; null when Redis is away. */
export async function bufferedPoints(redis: Redis): Promise<number | null> {
  if (!redis.isReady) return null
  const keys = Array.from({ length: SHARD_COUNT }, (_, shard) => countKey(shard))
  // One GET a shard: on a cluster they live on several nodes. They travel in one pipeline.
  const counts = await callRedis(Promise.all(keys.map((key) => redis.get(key))), READ_DEADLINE_MS).catch(
    () => null,
  )
  return counts?.reduce((sum, count) => sum + Math.max(0, Number(count ?? 0)), 0) ?? null
}

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
