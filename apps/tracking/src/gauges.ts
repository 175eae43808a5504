import { SHARD_COUNT } from '@palanquin/domain/ids'
import { type Metrics, readGauge } from '@palanquin/service/metrics'
import type { Redis } from '@palanquin/service/redis'
import { bufferedPoints } from './buffer/buffered-points.ts'
import { callRedis } from './buffer/call-redis.ts'
import { splitEntryId } from './buffer/entry-id.ts'
import { pointsKey } from './buffer/keys.ts'
import type { Journal } from './journal/journal.ts'

const READ_DEADLINE_MS = 300

/** Gauges of what waits, where, and for how long, for alerts. Read at each scrape. */
export function waitingGauges({
  registry,
  redis,
  journal,
  now,
}: {
  registry: Metrics
  redis: Redis
  journal: Pick<Journal, 'stats'>
  now: () => number
}): void {
  readGauge(registry, {
    name: 'palanquin_buffer_points',
    help: 'points in Redis that are not in PostgreSQL yet',
    read: () => bufferedPoints(redis),
  })
  readGauge(registry, {
    name: 'palanquin_buffer_oldest_seconds',
    help: 'age of the oldest point in Redis that is not in PostgreSQL yet',
    read: () => oldestSeconds(redis, now()),
  })
  readGauge(registry, {
    name: 'palanquin_journal_bytes',
    help: 'what the journal holds on disk',
    read: () => journal.stats().bytes,
  })
  readGauge(registry, {
    name: 'palanquin_journal_waiting',
    help: 'check-ins and syncs in the journal that Redis does not have yet',
    read: () => journal.stats().waiting,
  })
  readGauge(registry, {
    name: 'palanquin_journal_oldest_seconds',
    help: 'age of the oldest file of the journal that holds what Redis does not have yet',
    read: () => {
      const { oldestAt } = journal.stats()
      return oldestAt === null ? 0 : Math.max(0, now() - oldestAt) / 1000
    },
  })
}

async function oldestSeconds(redis: Redis, nowMs: number): Promise<number | null> {
  if (!redis.isReady) return null
  const heads = await callRedis(
    Promise.all(
      Array.from({ length: SHARD_COUNT }, (_, shard) =>
        redis.xRange(pointsKey(shard), '-', '+', { COUNT: 1 }),
      ),
    ),
    READ_DEADLINE_MS,
  ).catch(() => null)
  if (heads === null) return null
  const addedAt = heads.flatMap((head) => (head?.[0] ? [splitEntryId(head[0].id)[0]] : []))
  return addedAt.length === 0 ? 0 : Math.max(0, nowMs - Math.min(...addedAt)) / 1000
}
