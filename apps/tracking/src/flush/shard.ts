import type { Database } from '@palanquin/db/client'
import { chunk } from '@palanquin/service/chunk'
import type { ErasureTokenOf } from '@palanquin/service/erasure-token'
import type { FailPoint } from '@palanquin/service/fail-point'
import type { Log } from '@palanquin/service/log'
import type { Redis } from '@palanquin/service/redis'
import { type Confirmation, confirm } from '../buffer/confirm.ts'
import { compareEntryIds } from '../buffer/entry-id.ts'
import { type Entry, newestEntryId, pointsIn, readHead } from '../buffer/read.ts'
import { readErased } from '../erasure/token-store.ts'

import type { AggregateTimeZone } from '../rollup/time-zone.ts'
import type { BatchOutcome, Work } from './batch.ts'
import { storeEntries } from './bisect.ts'

import type { FlushMetrics } from './metrics.ts'
import type { Pace } from './pace.ts'
import type { PointsPartitions } from './partitions.ts'
import { readShardState } from './shard-state.ts'
import { splitWindow } from './split-window.ts'

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
 * Moves what is in a shard's buffer to PostgreSQL, window by window, up to what was newest when it began.
 * Returns the number of points that were new in PostgreSQL.
 * @throws StoreUnavailable when a store is away; what was not confirmed is read again next time
 */
export async function flushShard(context: Flushing, shard: number): Promise<number> {
  const newest = await newestEntryId(context.redis, shard)
  if (newest === null) return 0
  let inserted = 0
  let overtaken = 0
  while (overtaken < OVERTAKEN_MAX) {
    const flushed = await flushWindow(context, { shard, newest })
    if (flushed === 'none') break
    if (flushed === 'overtaken') {
      overtaken++
      continue
    }
    overtaken = 0
    inserted += flushed.inserted
    if (compareEntryIds(flushed.last, newest) >= 0) break
  }
  return inserted
}

/** Stores the oldest entries of a shard and removes them; `last` is the id of the last one. */
async function flushWindow(
  context: Flushing,
  { shard, newest }: { shard: number; newest: string },
): Promise<{ inserted: number; last: string } | 'none' | 'overtaken'> {
  const { db, redis, failPoint, metrics, log, pace } = context
  const { cursor: before } = await readShardState(db, shard)
  const head = await readUntil(redis, { shard, newest, pace })
  const { entries, batches } = splitWindow(head, pace.bounds)
  const last = entries.at(-1)?.id
  if (last === undefined) return 'none'
  failPoint('flush:after-read')
  if (compareEntryIds(last, before) < 0) {
    metrics.rewinds.inc()
    log.warn(
      { event: 'flush.rewound', shard, cursor: before },
      'Entries older than the cursor are stored again and counted once',
    )
  }
  let inserted = 0
  let version = 0
  for (const [at, batch] of batches.entries()) {
    const cursor = at === batches.length - 1 ? last : before
    const outcome = await pace.batch(() => storeBatch(context, { shard, entries: batch, before, cursor }))
    if (!outcome) return 'overtaken'
    inserted += outcome.inserted
    version = outcome.version
  }
  await confirmStored(context, { shard, entries, cursor: last, version })
  return { inserted, last }
}

/** The head of a shard's stream, up to an entry or as far as a window goes. */
async function readUntil(
  redis: Redis,
  { shard, newest, pace }: { shard: number; newest: string; pace: Pace },
): Promise<Entry[]> {
  const head: Entry[] = []
  let points = 0
  while (head.length < pace.window.entries && points < pace.window.points) {
    const after = head.at(-1)?.id
    if (after !== undefined && compareEntryIds(after, newest) >= 0) break
    const page = await pace.batch(() => readHead(redis, shard, { ...pace.bounds, after }))
    if (page.length === 0) break
    for (const entry of page) {
      head.push(entry)
      points += pointsIn(entry)
    }
  }
  return head
}

/** Null where another flusher moved the cursor, or was faster. */
async function storeBatch(
  context: Flushing,
  { shard, ...batch }: Pick<Work, 'shard' | 'entries' | 'before' | 'cursor'>,
): Promise<BatchOutcome | null> {
  const { db, tokenOf, failPoint, metrics, log } = context
  const { cursor, ...state } = await readShardState(db, shard)
  if (cursor !== batch.before) return null
  const isErased = await readErased(db, shard, tokenOf)
  return await storeEntries(context, { shard, ...state, ...batch, isErased }, (outcome) => {
    failPoint('flush:after-commit')
    metrics.stored(outcome)
    if (outcome.setAside > 0)
      log.error(
        { event: 'flush.points_set_aside', shard, setAside: outcome.setAside },
        'Set aside what cannot be stored',
      )
  })
}

/** Removes stored entries from the buffer, some at a time: Redis stands still meanwhile. */
async function confirmStored(
  { redis, failPoint, log, pace }: Flushing,
  { shard, entries, ...state }: Confirmation,
): Promise<void> {
  for (const part of chunk(entries, pace.bounds.entries)) {
    const asRead = await pace.batch(() => confirm(redis, { shard, entries: part, ...state }))
    if (!asRead) {
      log.warn(
        { event: 'flush.buffer_changed', shard },
        'The buffer changed during the flush; it is read again',
      )
      break
    }
    failPoint('flush:after-confirm')
  }
}
