import type { Database } from '@palanquin/db/client'
import type { FailPoint } from '@palanquin/service/fail-point'
import type { Log } from '@palanquin/service/log'
import type { Redis } from '@palanquin/service/redis'
import { confirm } from '../buffer/confirm.ts'
import { compareEntryIds } from '../buffer/entry-id.ts'
import { type Entry, newestEntryId, readHead } from '../buffer/read.ts'
import type { ErasureTokenOf } from '../erasure/token.ts'
import { readErased } from '../erasure/token-store.ts'

import type { AggregateTimeZone } from '../rollup/time-zone.ts'
import type { BatchOutcome } from './batch.ts'
import { storeEntries } from './bisect.ts'

import type { FlushMetrics } from './metrics.ts'
import type { Pace } from './pace.ts'
import type { PointsPartitions } from './partitions.ts'
import { readShardState } from './shard-state.ts'

/** Batches lost to other flushers in a row before this flush leaves the shard to them. */
const OVERTAKEN_MAX = 10

export type ShardContext = {
  db: Database
  redis: Redis
  partitions: PointsPartitions
  zone: AggregateTimeZone
  tokenOf: ErasureTokenOf
  driftGuard: boolean
  failPoint: FailPoint
  metrics: FlushMetrics
  log: Log
}

type Flushing = ShardContext & { pace: Pace }

/**
 * Moves what is in a shard's buffer to PostgreSQL, batch by batch, up to what was newest when it began.
 * Returns the number of points that were new in PostgreSQL.
 * @throws StoreUnavailable when a store is away; what was not confirmed is read again next time
 */
export async function flushShard(context: Flushing, shard: number): Promise<number> {
  const newest = await newestEntryId(context.redis, shard)
  if (newest === null) return 0
  let inserted = 0
  let overtaken = 0
  while (overtaken < OVERTAKEN_MAX) {
    const batch = await context.pace.batch(() => flushBatch(context, shard))
    if (batch === 'none') break
    if (batch === 'overtaken') {
      overtaken++
      continue
    }
    overtaken = 0
    inserted += batch.inserted
    if (compareEntryIds(batch.last, newest) >= 0) break
  }
  return inserted
}

type Flushed = { inserted: number; last: string }

/** Stores the oldest entries of a shard; `last` is the id of the last one. */
async function flushBatch(context: Flushing, shard: number): Promise<Flushed | 'none' | 'overtaken'> {
  const { db, redis, tokenOf, failPoint, metrics, log, pace } = context
  const state = await readShardState(db, shard)
  const isErased = await readErased(db, shard, tokenOf)
  const entries = await readHead(redis, shard, pace.bounds)
  const last = entries.at(-1)
  if (!last) return 'none'
  failPoint('flush:after-read')
  if (compareEntryIds(last.id, state.cursor) < 0) {
    metrics.rewinds.inc()
    log.warn(
      { event: 'flush.rewound', shard, cursor: state.cursor },
      'Entries older than the cursor are stored again and counted once',
    )
  }
  const outcome = await storeEntries(
    context,
    { shard, version: state.version, packedUntil: state.packedUntil, entries, isErased },
    (stored, outcome) => confirmStored(context, shard, { entries: stored, outcome }),
  )
  return outcome ? { inserted: outcome.inserted, last: last.id } : 'overtaken'
}

async function confirmStored(
  { redis, failPoint, metrics, log }: ShardContext,
  shard: number,
  { entries, outcome }: { entries: readonly Entry[]; outcome: BatchOutcome },
): Promise<void> {
  failPoint('flush:after-commit')
  metrics.stored(outcome)
  if (outcome.setAside > 0)
    log.error(
      { event: 'flush.points_set_aside', shard, setAside: outcome.setAside },
      'Set aside what cannot be stored',
    )
  const first = entries[0]?.id
  const last = entries.at(-1)?.id
  if (first === undefined || last === undefined) return
  const asRead = await confirm(redis, {
    shard,
    first,
    last,
    entries: entries.length,
    cursor: last,
    version: outcome.version,
  })
  if (!asRead)
    log.warn(
      { event: 'flush.buffer_changed', shard },
      'The buffer changed during the flush; it is read again',
    )
  failPoint('flush:after-confirm')
}
