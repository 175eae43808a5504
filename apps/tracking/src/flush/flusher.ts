import { SHARD_COUNT } from '@palanquin/domain/ids'
import { ApiError } from '@palanquin/service/http/api-error'
import type { Redis } from '@palanquin/service/redis'
import { noteFlushed } from '../buffer/confirm.ts'
import { repairShard } from '../buffer/repair.ts'
import { restoreErasureTokens } from '../erasure/token-store.ts'
import type { LastFlush } from './last-flush.ts'
import { type FlushLock, takeFlushLock } from './lock.ts'
import { REBUILD_POINTS_A_FLUSH, rebuildShard, shardsToRebuild } from './rebuild.ts'
import { flushShard, type ShardContext } from './shard.ts'
import { readShardState, readShardStates } from './tracks.ts'

/** How long a flush on demand waits for another process's lock before it goes on beside it, which does no harm. */
const LOCK_WAIT_MS = 5_000
const LOCK_RETRY_MS = 100
/** Shards at a time: while PostgreSQL stores one batch, the next is read and planned. */
const SHARDS_AT_ONCE = 4
const ALL_SHARDS = Array.from({ length: SHARD_COUNT }, (_, shard) => shard)

export type Flushed = { flushed: number; rebuilt: number; lastFlush: string }

export type FlusherContext = ShardContext & {
  /** Whose lock it is: this process, and the one after its restart. */
  instance: string
  last: LastFlush
  /** Publishes the events of the flush. */
  publish: () => Promise<void>
  /** How many stored points a scheduled flush reads for rebuilds. */
  rebuildPointsMax?: number
  now: () => number
}

/** Flushes of this process: one at a time, whoever asks. */
export function createFlusher(context: FlusherContext) {
  const { redis, log, instance, rebuildPointsMax = REBUILD_POINTS_A_FLUSH } = context
  let running: Promise<unknown> | undefined
  let next: Promise<Flushed> | undefined
  let away = false

  const alone = <T>(work: Promise<T>): Promise<T> => {
    const tracked = work.finally(() => {
      running = undefined
    })
    running = tracked
    return tracked
  }

  const whole = async (lock: FlushLock | undefined, rebuildPoints: number): Promise<Flushed> => {
    try {
      const flushed = await flushAll(context, rebuildPoints)
      if (away) log.info('the flush works again')
      away = false
      return flushed
    } finally {
      await lock
        ?.release()
        .catch((error: Error) => log.debug({ reason: error.message }, 'the lock will expire'))
    }
  }

  const onDemand = async (): Promise<Flushed> =>
    whole(await waitForLock(redis, instance), Number.POSITIVE_INFINITY)

  const ifFree = async (): Promise<Flushed | undefined> => {
    const lock = await takeFlushLock(redis, instance)
    return lock && (await whole(lock, rebuildPointsMax))
  }

  return {
    /**
     * Flushes everything that was in the buffer when it was called, and rebuilds all who need it. Who calls while a
     * flush runs gets the one after it. @throws StoreUnavailable when a store is away; nothing is lost then
     */
    flush: (): Promise<Flushed> => {
      if (!running) return alone(onDemand())
      next ??= running.then(ignore, ignore).then(() => {
        next = undefined
        return alone(onDemand())
      })
      return next
    },
    /** The scheduled flush: leaves it to whoever is at it already, and never rejects for a store that is away. */
    flushIfFree: async (): Promise<void> => {
      if (running) return
      try {
        const flushed = await alone(ifFree())
        if (flushed) log.info(flushed, 'flushed')
      } catch (error) {
        if (!(error instanceof ApiError)) throw error
        if (!away)
          log.warn(
            { reason: String(error.cause) },
            'the flush waits for a store; the buffer keeps everything',
          )
        away = true
      }
    },
    /** Resolves when no flush runs. */
    settled: async (): Promise<void> => {
      await running?.then(ignore, ignore)
    },
  }
}

const ignore = () => {}

async function flushAll(context: FlusherContext, rebuildPoints: number): Promise<Flushed> {
  const { db, redis, partitions, zone, metrics, last, publish, now } = context
  const started = performance.now()
  let outcome = 'failed'
  try {
    await zone.ensure()
    await partitions.ensureAhead(now())
    await repairBuffer(context)
    const stored = await sumOverShards(ALL_SHARDS, (shard) => flushShard(context, shard))
    const budget = { points: rebuildPoints }
    const rebuilds = await sumOverShards(await shardsToRebuild(db), async (shard) => {
      const tracks = await rebuildShard(context, shard, budget)
      await noteFlushed(redis, { shard, ...(await readShardState(db, shard)) })
      return tracks
    })
    await publish()
    const [failure] = [...stored.failures, ...rebuilds.failures]
    if (failure !== undefined) throw failure
    const [flushed, rebuilt] = [stored.sum, rebuilds.sum]
    const at = now()
    const lastFlush = await last.record(at)
    metrics.lastAt.set(at / 1000)
    outcome = 'whole'
    return { flushed, rebuilt, lastFlush }
  } finally {
    if (outcome === 'failed') metrics.failures.inc()
    metrics.seconds.observe({ outcome }, (performance.now() - started) / 1000)
  }
}

/** Says it when Redis has come back empty, and puts right what follows from what is there. */
async function repairBuffer({ db, redis, metrics, log }: FlusherContext): Promise<void> {
  const states = await readShardStates(db)
  const found = await Promise.all(states.map((state) => repairShard(redis, state)))
  if (!found.includes('emptied')) return
  await restoreErasureTokens(db, redis)
  metrics.emptied.inc()
  log.error('Redis has come back without its data: what PostgreSQL does not have yet comes from the journals')
}

/**
 * The sum of what the work on each shard gives, and what failed: a shard whose rows cannot be worked on holds up no other.
 * @throws StoreUnavailable when a store is away, after every lane has ended
 */
async function sumOverShards(
  shards: readonly number[],
  work: (shard: number) => Promise<number>,
): Promise<{ sum: number; failures: unknown[] }> {
  const left = [...shards]
  const failures: unknown[] = []
  let sum = 0
  const lane = async () => {
    for (let shard = left.shift(); shard !== undefined; shard = left.shift()) {
      try {
        const done = await work(shard)
        sum += done // not `sum += await …`: that reads the sum before the other lanes have added to it
      } catch (error) {
        if (error instanceof ApiError) throw error
        failures.push(error)
      }
    }
  }
  const ended = await Promise.allSettled(Array.from({ length: SHARDS_AT_ONCE }, lane))
  for (const outcome of ended) if (outcome.status === 'rejected') throw outcome.reason
  return { sum, failures }
}

async function waitForLock(redis: Redis, instance: string): Promise<FlushLock | undefined> {
  const deadline = performance.now() + LOCK_WAIT_MS
  for (;;) {
    const lock = await takeFlushLock(redis, instance)
    if (lock || performance.now() > deadline) return lock
    await Bun.sleep(LOCK_RETRY_MS)
  }
}

export type Flusher = ReturnType<typeof createFlusher>
