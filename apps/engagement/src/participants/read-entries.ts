import { shardOf } from '@palanquin/domain/ids'
import { chunk } from '@palanquin/service/chunk'
import { withDeadline } from '@palanquin/service/deadline'
import type { Redis } from '@palanquin/service/redis'
import { runScript } from '@palanquin/service/redis-script'
import { keysOfMany } from './cache-keys.ts'
import { READ_PENDING_LINES } from './cache-scripts.ts'

/** Blocks Redis for a fraction of a millisecond. */
const PEOPLE_PER_READ_MAX = 64

/** A raw entry, empty where there is none; how far the shard was flushed; pending check-ins as tracking writes them, joined by spaces. */
export type EntryState = { raw: string; flushed: string; pending: string }

/**
 * Reads entries in one round trip: texts by a plain command, which costs Redis half of what a script does, and pending check-ins
 * by a script. Another's command may come between the two: a check-in is of this very moment then, and a flush gives a
 * version that no entry has.
 */
export async function readEntries(
  redis: Redis,
  userIds: readonly string[],
  deadlineMs: number,
): Promise<EntryState[]> {
  const found = new Array<EntryState>(userIds.length)
  const reads = groupsOf(redis, userIds).map((places) => readInto(found, redis, { userIds, places }))
  await withDeadline(Promise.all(reads), { what: 'Redis', deadlineMs })
  return found
}

/** Places in the list that are read together: of a cluster those of one shard. */
function groupsOf(redis: Redis, userIds: readonly string[]): (readonly number[])[] {
  const places = Array.from(userIds.keys())
  const groups = redis.isCluster
    ? [...Map.groupBy(places, (at) => shardOf(userIds[at] ?? '')).values()]
    : [places]
  return groups.flatMap((group) => chunk(group, PEOPLE_PER_READ_MAX))
}

async function readInto(
  found: EntryState[],
  redis: Redis,
  { userIds, places }: { userIds: readonly string[]; places: readonly number[] },
): Promise<void> {
  const { statistics, pending, flushed, flushedOf } = keysOfMany(places.map((at) => userIds[at] ?? ''))
  const [lines, texts] = await Promise.all([
    runScript(redis, READ_PENDING_LINES, { keys: pending, args: [] }),
    redis.send(statistics[0] ?? '', ['MGET', ...statistics, ...flushed]),
  ])
  if (!Array.isArray(texts) || typeof lines !== 'string') throw new TypeError('the cache gave no texts')
  const pendingOf = lines === '' ? [] : lines.split('\n')
  for (const [group, at] of places.entries())
    found[at] = {
      raw: textOf(texts[group]),
      flushed: textOf(texts[statistics.length + (flushedOf[group] ?? 0)]),
      pending: pendingOf[group] ?? '',
    }
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')
