import { BatchLoader } from '@palanquin/service/batch-loader'
import { withDeadline } from '@palanquin/service/deadline'
import type { Redis } from '@palanquin/service/redis'
import { runScript } from '@palanquin/service/redis-script'
import type { Count } from './local-windows.ts'
import { WINDOW_SCRIPT } from './window-script.ts'

/**
 * A limit may cost a request this much at most, and only until the first call noticed that Redis stalls. On a machine
 * with ten times more to do than it can, a Redis that is well took longer than 100 ms, and limits were not exact.
 */
const DEADLINE_MS = 250
/** What Redis does at one go, with nobody else in between: a millisecond. */
const QUESTIONS_MAX = 250

/** `stamp` is what `giveBack` wants. */
export type SharedCount = Count & { stamp: string }
export type CountRequest = { key: string; limit: number; windowMs: number; take: boolean }

/**
 * Counts by the script, those of a turn in one call where Redis has all keys; on a cluster each key is a call of its own.
 * Rejects when Redis is away or later than DEADLINE_MS.
 */
export function sharedCounts({
  redis,
  onLate,
}: {
  redis: Redis
  onLate: (error: unknown) => void
}): BatchLoader<CountRequest, SharedCount> {
  const askAll = async (asked: readonly CountRequest[]): Promise<SharedCount[]> => {
    const keys = asked.map(({ key }) => key)
    const args = asked.flatMap(({ limit, windowMs, take }) => [
      String(limit),
      String(windowMs),
      take ? '1' : '0',
    ])
    const counted = runScript(redis, WINDOW_SCRIPT, { keys, args })
    const lines = String(await withDeadline(counted, { what: 'Redis', deadlineMs: DEADLINE_MS, onLate }))
    const [stamp = '', ...counts] = lines.split('\n')
    return counts.map((count, at) => readCount(count, { stamp, windowMs: asked[at]?.windowMs ?? 0 }))
  }
  return new BatchLoader({ loadAll: askAll, sizeMax: redis.isCluster ? 1 : QUESTIONS_MAX })
}

function readCount(line: string, { stamp, windowMs }: { stamp: string; windowMs: number }): SharedCount {
  if (line === '') return { allowed: true, used: 1, freeInMs: windowMs, stamp }
  const [allowed, used, freeInUs] = line.split(' ')
  return { allowed: allowed === '1', used: Number(used), freeInMs: Number(freeInUs) / 1_000, stamp }
}
