import type { Redis } from '@palanquin/service/redis'
import { callRedis } from './call-redis.ts'
import { pointsKey } from './keys.ts'

/** An entry as it stands in the stream; nothing in it is trusted yet. */
export type Entry = { readonly id: string; readonly fields: Readonly<Record<string, string>> }

/** Entries asked for at a time: of a thousand points each, that is four megabytes. */
const PAGE_ENTRIES = 64
/** What one statement of the flush stores at most; memory stays flat however long the stream has grown. */
const BATCH_ENTRIES_MAX = 1_024
const BATCH_POINTS_MAX = 20_000

/**
 * The oldest entries of a shard, up to a batch, in order. From the head of the stream and not from the cursor: what
 * stands there was not confirmed yet, and an entry that was stored already is found by its points' keys. So it does
 * no harm when Redis lost its data and its clock runs behind.
 * @throws StoreUnavailable when Redis is away
 */
export async function readHead(redis: Redis, shard: number): Promise<Entry[]> {
  const batch: Entry[] = []
  let points = 0
  let start = '-'
  while (batch.length < BATCH_ENTRIES_MAX && points < BATCH_POINTS_MAX) {
    const page = (await callRedis(redis.xRange(pointsKey(shard), start, '+', { COUNT: PAGE_ENTRIES }))) ?? []
    for (const { id, message } of page) {
      batch.push({ id, fields: message })
      points += Number(message.n ?? 1) || 1
      if (batch.length >= BATCH_ENTRIES_MAX || points >= BATCH_POINTS_MAX) break
    }
    const last = batch.at(-1)
    if (page.length < PAGE_ENTRIES || !last) break
    start = `(${last.id}`
  }
  return batch
}

/** The id of the newest entry ever added to the shard's stream; null when there is no stream. */
export async function newestEntryId(redis: Redis, shard: number): Promise<string | null> {
  const newest = await callRedis(redis.xRevRange(pointsKey(shard), '+', '-', { COUNT: 1 }))
  return newest?.[0]?.id ?? null
}
