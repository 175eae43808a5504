import { comparePoints } from '@palanquin/domain/distance'
import { shardOf } from '@palanquin/domain/ids'
import type { Redis } from '@palanquin/service/redis'
import { callRedis } from '../buffer/call-redis.ts'
import { decodeEntry } from '../buffer/decode.ts'
import { pointsKey } from '../buffer/keys.ts'
import { type Entry, readHead } from '../buffer/read.ts'
import type { KeptPoint } from './store.ts'

/** For the export of everything: some 15 ms of this process and Redis, a few times an hour and person. */
const EXPORT_ENTRIES_MAX = 4_096
/** For the own page, which reads after each sync: 2 ms. */
const TRACK_ENTRIES_MAX = 512
const POINTS_MAX = 20_000

export type ReadBuffered = (userId: string) => Promise<KeptPoint[]>

/**
 * Reads a participant's points that are not stored yet, in the order that counts. The buffer is not kept by participant, so that much of
 * the shard is read: its oldest entries.
 * @throws StoreUnavailable when Redis is away
 */
export const bufferedPoints =
  (redis: Redis): ReadBuffered =>
  async (userId) => {
    const shard = shardOf(userId)
    const bounds = { entries: EXPORT_ENTRIES_MAX, points: POINTS_MAX }
    return pointsOf(userId, await readHead(redis, shard, bounds))
  }

/** The same where the shard's buffer is small; on a crowded day none: a track is then as of the last flush. @throws StoreUnavailable */
export const bufferedUnlessCrowded =
  (redis: Redis): ReadBuffered =>
  async (userId) => {
    const shard = shardOf(userId)
    if ((await callRedis(redis.xLen(pointsKey(shard)))) > TRACK_ENTRIES_MAX) return []
    return pointsOf(userId, await readHead(redis, shard, { entries: TRACK_ENTRIES_MAX, points: POINTS_MAX }))
  }

const pointsOf = (userId: string, entries: readonly Entry[]): KeptPoint[] =>
  entries
    .filter(({ fields }) => fields.u === userId)
    .flatMap((entry) => decodeEntry(entry, shardOf(userId)).points)
    .map(({ point, note, receivedAt }) => ({ ...point, note, receivedAt }))
    .sort(comparePoints)

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
