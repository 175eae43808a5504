import { SHARD_COUNT } from '@palanquin/domain/ids'
import { countPoints } from '../buffer/buffered-points.ts'
import { noteFlushed } from '../buffer/confirm.ts'
import { repairShard } from '../buffer/repair.ts'
import { restoreErasureTokens } from '../erasure/token-store.ts'
import { moveLinked } from '../linked/move.ts'
import type { LastFlush } from './last-flush.ts'
import { sumOverShards } from './over-shards.ts'
import type { Pace } from './pace.ts'
import { rebuildShard, shardsToRebuild } from './rebuild/rebuild.ts'
import { flushShard, type ShardContext } from './shard.ts'
import { readShardState, readShardStates } from './shard-state.ts'

/** A buffer with no more points is stored within some tenths of a second: no need to be gentle. */
const SMALL_BUFFER_POINTS = 5_000
const ALL_SHARDS = Array.from({ length: SHARD_COUNT }, (_, shard) => shard)

export type Flushed = { flushed: number; rebuilt: number; lastFlush: string }

export type FlushContext = ShardContext & {
  last: LastFlush
  /** Publishes the events of the flush. */
  publish: () => Promise<void>
  now: () => number
  /** Shards that were found empty, until Redis has its erasure tokens again: they are found so only once. */
  emptied: Set<number>
}

export type FlushManner = {
  pace: Pace
  /** How many stored points rebuilds read at most. */
  rebuildPoints: number
}

/**
 * One whole flush of all shards, with rebuilds. What is gentle becomes urgent where little waits.
 * @throws StoreUnavailable when a store is away; what was not confirmed is flushed next time
 */
export async function flushShards(
  context: FlushContext,
  { pace, rebuildPoints }: FlushManner,
): Promise<Flushed> {
  const { db, redis, partitions, zone, metrics, last, publish, now } = context
  const started = performance.now()
  let outcome = 'failed'
  try {
    await zone.ensure()
    await partitions.ensureAhead(now())
    await repairBuffer(context)
    if (!pace.isUrgent && (await countPoints(redis)) <= SMALL_BUFFER_POINTS) pace.hurry()
    const paced = { ...context, pace }
    const stored = await sumOverShards(ALL_SHARDS, pace, (shard) => flushShard(paced, shard))
    await moveLinked(paced)
    const budget = { points: rebuildPoints }
    const rebuilds = await sumOverShards(await shardsToRebuild(db), pace, async (shard) => {
      const tracks = await rebuildShard(paced, shard, budget)
      await noteFlushed(redis, { shard, ...(await readShardState(db, shard)) })
      return tracks
    })
    await publish()
    const [failure] = [...stored.failures, ...rebuilds.failures]
    if (failure !== undefined) throw failure
    const at = now()
    const lastFlush = await last.record(at)
    metrics.lastAt.set(at / 1000)
    outcome = 'whole'
    return { flushed: stored.sum, rebuilt: rebuilds.sum, lastFlush }
  } finally {
    if (outcome === 'failed') metrics.failures.inc()
    metrics.seconds.observe({ outcome }, (performance.now() - started) / 1000)
  }
}

/** Restores what follows from the streams, and the erasure tokens, when Redis has come back empty. */
async function repairBuffer({ db, redis, metrics, log, emptied }: FlushContext): Promise<void> {
  const repair = async (state: Parameters<typeof repairShard>[1]) => {
    if ((await repairShard(redis, state)) === 'emptied') emptied.add(state.shard)
  }
  await Promise.all((await readShardStates(db)).map(repair))
  if (emptied.size === 0) return
  await restoreErasureTokens(db, redis)
  emptied.clear()
  metrics.emptied.inc()
  log.error(
    { event: 'buffer.emptied' },
    'Redis has come back without its data; the journals replay what PostgreSQL does not have yet',
  )
}
