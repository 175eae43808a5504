import type { Redis } from '@palanquin/service/redis'
import { callRedis } from './call-redis.ts'
import { type EntryFields, fieldsOf } from './entry.ts'
import { pointsKey } from './keys.ts'

/** An entry of the stream, unchecked. */
export type Entry = { readonly id: string; readonly fields: EntryFields }

/** Entries read at a time: of a thousand points each, that is four megabytes. */
const PAGE_ENTRIES = 64
/**
 * What one batch of the flush holds at most, though at least one entry; memory stays flat however long the stream has grown.
 * An entry has a thousand points at most, so that a batch has fewer than that beyond its bound.
 */
export type BatchBounds = { readonly entries: number; readonly points: number }

/**
 * The oldest entries of a shard, or the oldest `after` an entry, up to a batch, in order. From the head of the stream, not from the cursor: what is there
 * was not confirmed, and the keys of the points show what was stored already. So a Redis that lost its data and has a
 * clock that is behind does no harm.
 * @throws StoreUnavailable when Redis is away
 */
export async function readHead(
  redis: Redis,
  shard: number,
  { after, ...bounds }: BatchBounds & { after?: string | undefined },
): Promise<Entry[]> {
  const batch: Entry[] = []
  let points = 0
  let start = after === undefined ? '-' : `(${after}`
  while (batch.length < bounds.entries && points < bounds.points) {
    const page = (await callRedis(redis.xRange(pointsKey(shard), start, '+', { COUNT: PAGE_ENTRIES }))) ?? []
    for (const { id, message } of page) {
      const entry = { id, fields: fieldsOf(message) }
      batch.push(entry)
      points += pointsIn(entry)
      if (batch.length >= bounds.entries || points >= bounds.points) break
    }
    const last = batch.at(-1)
    if (page.length < PAGE_ENTRIES || !last) break
    start = `(${last.id}`
  }
  return batch
}

/** How many points an entry says that it holds; at least one. */
export const pointsIn = ({ fields }: Pick<Entry, 'fields'>): number => Number(fields.n ?? 1) || 1

/** The id of the newest entry ever added to the shard's stream; null when there is no stream. */
export async function newestEntryId(redis: Redis, shard: number): Promise<string | null> {
  const newest = await callRedis(redis.xRevRange(pointsKey(shard), '+', '-', { COUNT: 1 }))
  return newest?.[0]?.id ?? null
}
