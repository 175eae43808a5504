import type { Database } from '@palanquin/db/client'
import { placeOrder } from '@palanquin/domain/grid'
import { SHARD_COUNT } from '@palanquin/domain/ids'
import { toIso } from '@palanquin/domain/time'
import { chunk } from '@palanquin/service/chunk'
import type { FailPoint } from '@palanquin/service/fail-point'
import type { Log } from '@palanquin/service/log'
import type { Redis } from '@palanquin/service/redis'
import { isFlushing, takePackLock } from '../flush/lock.ts'
import { readShardState } from '../flush/shard-state.ts'
import type { PackMetrics } from './metrics.ts'
import { type Hour, slicesOf } from './slices.ts'
import {
  FREE_PARTITION,
  FreedRow,
  PACK,
  PACK_DEADLINE_MS,
  PackedRow,
  READ_HOURS,
  READ_PARTICIPANTS,
} from './statements.ts'

const HOUR_MS = 3_600_000
/** Participants whose hours are looked up at a time. */
const PARTICIPANTS_AT_ONCE = 200
/** Tries of a slice that flushes were faster with. */
const OVERTAKEN_MAX = 5
const FLUSH_POLL_MS = 250

export type PackerContext = {
  db: Database
  redis: Redis
  instance: string
  /** How long after its end (UTC) an hour is packed. */
  afterMs: number
  /** Share of the time in which the packer rests, so that it slows no flush: 0.5 is as long as it works. */
  rest?: number
  now: () => number
  failPoint: FailPoint
  metrics: PackMetrics
  log: Log
}

export type Packed = { points: number; hours: number }

/** Packs what rests. One process packs at a time; between slices it lets flushes pass. */
export function createPacker(context: PackerContext) {
  const { redis, instance, afterMs, now, log } = context
  let isStopped = false
  return {
    /**
     * Packs every hour that ended long enough ago; does nothing while another process packs.
     * @throws StoreUnavailable when a store is away; what is packed stays packed
     */
    pack: async (): Promise<Packed> => {
      const sum = { points: 0, hours: 0 }
      const until = toIso(Math.floor((now() - afterMs) / HOUR_MS) * HOUR_MS)
      const lock = await takePackLock(redis, instance)
      if (!lock) return sum
      try {
        for (let shard = 0; shard < SHARD_COUNT && !isStopped; shard++)
          for await (const packed of packShard(context, { shard, until })) {
            sum.points += packed.points
            sum.hours += packed.hours
            if (isStopped || !(await takePackLock(redis, instance))) return sum
          }
        await freePartitions(context.db)
        if (sum.points > 0) log.info({ event: 'points.packed', ...sum }, 'Points at rest were packed')
        return sum
      } finally {
        await lock
          .release()
          .catch((error: Error) =>
            log.debug(
              { event: 'points.pack_lock_kept', reason: error.message },
              'The lock of the packer will expire',
            ),
          )
      }
    },
    /** Ends a run after its slice. */
    stop: (): void => {
      isStopped = true
    },
  }
}

/** Days of which every hour is packed, one at a time: the lock on a day is held for a moment. */
async function freePartitions(db: Database): Promise<void> {
  for (;;) {
    const [row] = await db.queryAs(FreedRow, FREE_PARTITION, [])
    if (row?.freed !== true) return
  }
}

async function* packShard(
  context: PackerContext,
  { shard, until }: { shard: number; until: string },
): AsyncGenerator<Packed> {
  const { db } = context
  const options = { deadlineMs: PACK_DEADLINE_MS }
  const rows = await db.query<{ user_id: string; last_lat: number | null; last_lng: number | null }>(
    READ_PARTICIPANTS,
    [shard],
    options,
  )
  // Who walks near each other is packed next to each other, for the index over places (packed_points_place).
  const placed = rows
    .map(({ user_id, last_lat, last_lng }) => ({
      userId: user_id,
      at: placeOrder(last_lat ?? 0, last_lng ?? 0),
    }))
    .sort((a, b) => a.at - b.at)
  for (const some of chunk(placed, PARTICIPANTS_AT_ONCE)) {
    const hours = await db.query<Hour>(READ_HOURS, [some.map(({ userId }) => userId), until], options)
    for (const slice of slicesOf(hours)) {
      const startedMs = performance.now()
      yield await packSlice(context, { shard, until, slice })
      await Bun.sleep((performance.now() - startedMs) * (context.rest ?? 1))
    }
  }
}

async function packSlice(
  { db, redis, failPoint, metrics }: PackerContext,
  { shard, until, slice }: { shard: number; until: string; slice: readonly Hour[] },
): Promise<Packed> {
  const times = slice.map(({ hour }) => hour.getTime())
  const [first, last] = [Math.min(...times), Math.max(...times) + HOUR_MS]
  for (let tries = 0; tries < OVERTAKEN_MAX; tries++) {
    while (await isFlushing(redis)) await Bun.sleep(FLUSH_POLL_MS)
    const { version } = await readShardState(db, shard)
    failPoint('pack:before-slice')
    const [packed] = await db.queryAs(
      PackedRow,
      PACK,
      [
        shard,
        version,
        slice.map(({ user_id }) => user_id),
        times.map(toIso),
        until,
        toIso(first),
        toIso(last),
      ],
      { deadlineMs: PACK_DEADLINE_MS },
    )
    failPoint('pack:after-slice')
    if (!packed) continue
    metrics.points.inc(packed.points)
    return packed
  }
  return { points: 0, hours: 0 }
}
