import { DEFAULT_SOURCE_OF, type Point, type TrackSyncBody } from '@palanquin/domain/point'
import { Refusal, StoreUnavailable } from '@palanquin/service/http/refusal'
import type { Redis } from '@palanquin/service/redis'
import { appendSync, type Sync } from '../buffer/append-sync.ts'
import { packPoint } from '../buffer/entry.ts'
import type { MarkOf } from '../erasure/mark.ts'
import type { Gate } from '../gate/gate.ts'
import { countFiltered, judgeSync, type Rejection } from './judge.ts'

export type SyncReceipt = {
  received: number
  buffered: number
  duplicates: number
  filtered: number
  rejected: Rejection[]
}

/** Another sync of the same participant may come between a look and the write; so often in a row it is a flood. */
const TRIES_MAX = 5

export type SyncOptions = {
  redis: Redis
  gate: Gate
  markOf: MarkOf
  sources: readonly string[]
  now: () => number
}

/** The verb behind `POST /track/sync`: answered once the points are in the buffer, so that the phone may forget them. */
export function acceptSyncs({ redis, gate, markOf, sources, now }: SyncOptions) {
  /**
   * Buffers the points that were not sent within 60 s, and gives them back.
   * @throws StoreUnavailable
   */
  const buffer = async (
    { userId, source, receivedAt }: Omit<Sync, 'points' | 'mark'>,
    points: Point[],
  ): Promise<Point[] | Refusal> => {
    const mark = markOf(userId)
    let left = points
    for (let tries = 0; tries < TRIES_MAX; tries++) {
      if (left.length === 0) return left
      const packed = left.map((point) => packPoint(point, source))
      const outcome = await appendSync(redis, { userId, mark, source, receivedAt, points: packed })
      if (outcome === 'appended') return left
      if (outcome === 'closed') {
        const refused = await gate.confirmClosed(userId)
        if (refused) return refused
        continue
      }
      left = left.filter((_, position) => !outcome.duplicates.has(position))
    }
    throw new StoreUnavailable('buffer', new Error('other syncs of this participant were always faster'))
  }

  /** A Refusal when the sync as a whole cannot be taken. @throws StoreUnavailable when the buffer cannot take it now */
  return async ({ userId, source: given, points }: TrackSyncBody): Promise<SyncReceipt | Refusal> => {
    const refused = gate.refusalFor(userId)
    if (refused) return refused
    const source = given ?? DEFAULT_SOURCE_OF.track
    if (!sources.includes(source)) return new Refusal('invalid', `source: expected ${sources.join(', ')}`)
    const receivedAt = now()
    const judged = judgeSync(points, { source, sources, now: receivedAt })
    const buffered = await buffer({ userId, source, receivedAt }, judged.points)
    if (buffered instanceof Refusal) return buffered
    return {
      received: points.length,
      buffered: buffered.length,
      duplicates: judged.repeated + judged.points.length - buffered.length,
      filtered: countFiltered(buffered),
      rejected: judged.rejected,
    }
  }
}
