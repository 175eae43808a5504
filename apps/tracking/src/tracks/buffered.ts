import { comparePoints } from '@palanquin/domain/distance'
import { shardOf } from '@palanquin/domain/ids'
import type { Redis } from '@palanquin/service/redis'
import { decodeEntry } from '../buffer/decode.ts'
import { readHead } from '../buffer/read.ts'
import type { KeptPoint } from './store.ts'

/** What is read of a shard's buffer for one participant. */
const READ_MAX = { entries: 4_096, points: 20_000 }

export type ReadBuffered = (userId: string) => Promise<KeptPoint[]>

/**
 * Reads a participant's points that are not stored yet, in the order that counts. Only the oldest entries of
 * the shard are read, so on a crowded day the latest points appear with the flush.
 * @throws StoreUnavailable when Redis is away
 */
export const bufferedPoints =
  (redis: Redis): ReadBuffered =>
  async (userId) => {
    const shard = shardOf(userId)
    const entries = (await readHead(redis, shard, READ_MAX)).filter(({ fields }) => fields.u === userId)
    return entries
      .flatMap((entry) => decodeEntry(entry, shard).points)
      .map(({ point, note, receivedAt }) => ({ ...point, note, receivedAt }))
      .sort(comparePoints)
  }

/**
 * Adds buffered points to the stored ones, page by page, in the order that counts. Of two with the same key the stored one
 * stays: it was flushed after the buffer was read.
 */
export async function* withBuffered(
  pages: AsyncIterable<KeptPoint[]>,
  buffered: readonly KeptPoint[],
): AsyncGenerator<KeptPoint[]> {
  let at = 0
  /** Buffered points up to a stored one, without repetitions. */
  const until = (stored: KeptPoint | undefined): KeptPoint[] => {
    const taken: KeptPoint[] = []
    for (let point = buffered[at]; point; point = buffered[at]) {
      const order = stored ? comparePoints(point, stored) : -1
      if (order > 0) break
      const last = taken.at(-1)
      if (order < 0 && !(last && comparePoints(last, point) === 0)) taken.push(point)
      at++
    }
    return taken
  }
  for await (const page of pages) yield page.flatMap((stored) => [...until(stored), stored])
  const rest = until(undefined)
  if (rest.length > 0) yield rest
}
