import { SHARD_COUNT } from '@palanquin/domain/ids'
import { ApiError } from '@palanquin/service/http/api-error'
import PQueue from 'p-queue'
import { noteFlushed } from '../buffer/confirm.ts'
import { repairShard } from '../buffer/repair.ts'
import { restoreErasureTokens } from '../erasure/token-store.ts'
import { moveLinked } from '../linked/move.ts'
import type { LastFlush } from './last-flush.ts'
import { rebuildShard, shardsToRebuild } from './rebuild/rebuild.ts'
import { flushShard, type ShardContext } from './shard.ts'
import { readShardState, readShardStates } from './shard-state.ts'

/** While PostgreSQL stores one batch, the next is read and planned. */
const SHARDS_AT_ONCE = 4
const ALL_SHARDS = Array.from({ length: SHARD_COUNT }, (_, shard) => shard)

export type Flushed = { flushed: number; rebuilt: number; lastFlush: string }

export type FlushContext = ShardContext & {
  last: LastFlush
  /** Publishes the events of the flush. */
  publish: () => Promise<void>
  now: () => number
}

/**
 * One whole flush of all shards, and rebuilds that read up to `rebuildPoints` stored points.
 * @throws StoreUnavailable when a store is away; what was not confirmed is flushed next time
 */
export async function flushShards(context: FlushContext, rebuildPoints: number): Promise<Flushed> {
  const { db, redis, partitions, zone, metrics, last, publish, now } = context
  const started = performance.now()
  let outcome = 'failed'
  try {
    await zone.ensure()
    await partitions.ensureAhead(now())
    await repairBuffer(context)
    const stored = await sumOverShards(ALL_SHARDS, (shard) => flushShard(context, shard))
    await moveLinked(context)
    const budget = { points: rebuildPoints }
    const rebuilds = await sumOverShards(await shardsToRebuild(db), async (shard) => {
      const tracks = await rebuildShard(context, shard, budget)
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
async function repairBuffer({ db, redis, metrics, log }: FlushContext): Promise<void> {
  const states = await readShardStates(db)
  const found = await Promise.all(states.map((state) => repairShard(redis, state)))
  if (!found.includes('emptied')) return
  await restoreErasureTokens(db, redis)
  metrics.emptied.inc()
  log.error(
    { event: 'buffer.emptied' },
    'Redis has come back without its data; the journals replay what PostgreSQL does not have yet',
  )
}

/**
 * The sum of what the work on each shard gives, and what failed: a shard whose rows cannot be worked on holds up no other.
 * @throws StoreUnavailable when a store is away, after the work under way has ended
 */
async function sumOverShards(
  shards: readonly number[],
  work: (shard: number) => Promise<number>,
): Promise<{ sum: number; failures: unknown[] }> {
  const queue = new PQueue({ concurrency: SHARDS_AT_ONCE })
  const failures: unknown[] = []
  let away: ApiError | undefined
  let sum = 0
  const add = async (shard: number): Promise<void> => {
    if (away) return
    try {
      const done = await work(shard)
      sum += done // not `sum += await …`: that reads the sum before the other shards have added to it
    } catch (error) {
      if (error instanceof ApiError) away = error
      else failures.push(error)
    }
  }
  await queue.addAll(shards.map((shard) => () => add(shard)))
  if (away) throw away
  return { sum, failures }
}
