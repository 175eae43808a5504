import { BatchLoader } from '@palanquin/service/batch-loader'
import { withDeadline } from '@palanquin/service/deadline'
import type { Redis } from '@palanquin/service/redis'
import { runScript } from '@palanquin/service/redis-script'
import { type CallGroup, type CountRequest, type GroupCount, groupedCalls } from './call-groups.ts'
import type { Count } from './local-windows.ts'
import { WINDOW_SCRIPT } from './window-script.ts'

/** Keys of one script call, during which Redis serves nothing else: a millisecond. */
const KEYS_MAX = 250

/** `stamp` is for `giveBack`. */
export type SharedCount = Count & { stamp: string }

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
    const { groups, countsOf } = groupedCalls(requests)
    const keys = groups.map(({ key }) => key)
    const args = groups.flatMap(({ limit, windowMs, calls }) => [
      String(limit),
      String(windowMs),
      String(calls),
    ])
    const counted = runScript(redis, WINDOW_SCRIPT, { keys, args })
    const text = String(await withDeadline(counted, { what: 'Redis', deadlineMs, onLate }))
    const [stamp = '', ...lines] = text.split('\n')
    const counts = groups.map((group, at) => readCount(lines[at] ?? '', group))
    return countsOf(counts).map((count) => ({ ...count, stamp }))
  }
  return new BatchLoader({ loadAll: countAll, sizeMax: redis.isCluster ? 1 : KEYS_MAX })
}

function readCount(line: string, { calls, windowMs }: CallGroup): GroupCount {
  if (line === '') return { admitted: calls, used: calls, freeInMs: windowMs }
  const [admitted, used, freeInUs] = line.split(' ')
  return { admitted: Number(admitted), used: Number(used), freeInMs: Number(freeInUs) / 1_000 }
}
