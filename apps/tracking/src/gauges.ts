import { SHARD_COUNT } from '@palanquin/domain/ids'
import type { Metrics } from '@palanquin/service/metrics'
import type { Redis } from '@palanquin/service/redis'
import { Gauge } from 'prom-client'
import { splitEntryId } from './buffer/entry-id.ts'
import { pointsKey } from './buffer/keys.ts'
import { reachRedis } from './buffer/reach.ts'
import { bufferedPoints } from './health.ts'
import type { Journal } from './journal/journal.ts'

const READ_DEADLINE_MS = 300

/** What waits, where, and for how long: the figures to raise an alarm by. Read when they are asked for. */
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
  const gauge = (name: string, help: string, value: () => Promise<number | null> | number): void => {
    const created = new Gauge({
      name,
      help,
      registers: [registry],
      collect: async () => {
        const read = await value()
        if (read !== null) created.set(read)
      },
    })
  }
  gauge('buffer_points', 'points in Redis that are not in PostgreSQL yet', () => bufferedPoints(redis))
  gauge('buffer_oldest_seconds', 'age of the oldest of them', () => oldestSeconds(redis, now()))
  gauge('journal_bytes', 'what the journal holds on disk', () => journal.stats().bytes)
  gauge('journal_waiting', 'check-ins in it that Redis does not have yet', () => journal.stats().waiting)
  gauge('journal_oldest_seconds', 'age of the oldest file that holds one of them', () => {
    const { oldestAt } = journal.stats()
    return oldestAt === null ? 0 : Math.max(0, now() - oldestAt) / 1000
  })
}

async function oldestSeconds(redis: Redis, nowMs: number): Promise<number | null> {
  if (!redis.isReady) return null
  const heads = await reachRedis(
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
