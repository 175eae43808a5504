import { withDeadline } from '@palanquin/service/deadline'
import { PacedLoader } from '@palanquin/service/paced-loader'
import type { Redis } from '@palanquin/service/redis'
import { runScript } from '@palanquin/service/redis-script'
import { GATHER_MS } from '../../gather.ts'
import type { Count } from '../memory/local-windows.ts'
import { type CallGroup, type CountRequest, type GroupCount, groupedCalls } from './call-groups.ts'
import { WINDOW_SCRIPT } from './window-script.ts'

/** Keys of one script call, during which Redis serves nothing else: a millisecond. */
const KEYS_MAX = 250

/** `stamp` is for `giveBack`. */
export type SharedCount = Count & { stamp: string }

/**
 * Counts by the script, those of some milliseconds in one call; on a cluster each key is its own call.
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
}): PacedLoader<CountRequest, SharedCount> {
  const countAll = async (requests: readonly CountRequest[]): Promise<SharedCount[]> => {
    const { groups, countsOf } = groupedCalls(requests)
    const keys = groups.map(({ key }) => key)
    const counted = runScript(redis, WINDOW_SCRIPT, { keys, args: [runsOf(groups)] })
    const text = String(await withDeadline(counted, { what: 'Redis', deadlineMs, onLate }))
    const [stamp = '', ...lines] = text.split('\n')
    const counts = groups.map((group, at) => readCount(lines[at] ?? '', group))
    return countsOf(counts).map((count) => ({ ...count, stamp }))
  }
  return new PacedLoader({ loadAll: countAll, sizeMax: redis.isCluster ? 1 : KEYS_MAX, everyMs: GATHER_MS })
}

/** What the script is asked for each key, those that follow one another with the same as one. */
function runsOf(groups: readonly CallGroup[]): string {
  const runs: { asked: string; keys: number }[] = []
  for (const { limit, spent, windowMs, calls } of groups) {
    const asked = `${limit} ${spent} ${windowMs} ${calls}`
    const last = runs.at(-1)
    if (last?.asked === asked) last.keys++
    else runs.push({ asked, keys: 1 })
  }
  return runs.map(({ asked, keys }) => `${asked} ${keys}`).join(' ')
}

function readCount(line: string, { calls, windowMs }: CallGroup): GroupCount {
  if (line === '') return { admitted: calls, used: calls, freeInMs: windowMs }
  const [admitted, used, freeInUs] = line.split(' ')
  return { admitted: Number(admitted), used: Number(used), freeInMs: Number(freeInUs) / 1_000 }
}
