import { BatchLoader } from '@palanquin/service/batch-loader'
import { withDeadline } from '@palanquin/service/deadline'
import type { Redis } from '@palanquin/service/redis'
import { runScript } from '@palanquin/service/redis-script'
import type { Count } from './local-windows.ts'
import { WINDOW_SCRIPT } from './window-script.ts'

/** Keys of one script call, during which Redis serves nothing else: a millisecond. */
const KEYS_MAX = 250

/** `stamp` is for `giveBack`. */
export type SharedCount = Count & { stamp: string }
export type CountRequest = { key: string; limit: number; windowMs: number; take: boolean }

/**
 * Counts by the script, the requests of one event-loop tick in one call; on a cluster each key is its own call.
 * Rejects when Redis is away or later than `deadlineMs`.
 */
export function sharedCounts({
  redis,
  deadlineMs,
  onLate,
}: {
  redis: Redis
  deadlineMs: number
  onLate: (error: unknown) => void
}): BatchLoader<CountRequest, SharedCount> {
  const countAll = async (requests: readonly CountRequest[]): Promise<SharedCount[]> => {
    const keys = requests.map(({ key }) => key)
    const args = requests.flatMap(({ limit, windowMs, take }) => [
      String(limit),
      String(windowMs),
      take ? '1' : '0',
    ])
    const counted = runScript(redis, WINDOW_SCRIPT, { keys, args })
    const lines = String(await withDeadline(counted, { what: 'Redis', deadlineMs, onLate }))
    const [stamp = '', ...counts] = lines.split('\n')
    return counts.map((count, at) => readCount(count, { stamp, windowMs: requests[at]?.windowMs ?? 0 }))
  }
  return new BatchLoader({ loadAll: countAll, sizeMax: redis.isCluster ? 1 : KEYS_MAX })
}

function readCount(line: string, { stamp, windowMs }: { stamp: string; windowMs: number }): SharedCount {
  if (line === '') return { allowed: true, used: 1, freeInMs: windowMs, stamp }
  const [allowed, used, freeInUs] = line.split(' ')
  return { allowed: allowed === '1', used: Number(used), freeInMs: Number(freeInUs) / 1_000, stamp }
}
