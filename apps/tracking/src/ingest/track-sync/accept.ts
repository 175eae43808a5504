import { DEFAULT_SOURCE_OF, type Point } from '@palanquin/domain/point'
import type { TrackSyncBody } from '@palanquin/domain/point/input'
import { UNSURE_CLOCK_MS } from '@palanquin/domain/point/judge'
import { ApiError, StoreUnavailable } from '@palanquin/service/http/api-error'
import type { Redis } from '@palanquin/service/redis'
import type { AccessCheck } from '../../access/access-check.ts'
import { appendSync, type Sync } from '../../buffer/append-sync.ts'
import { packPoint } from '../../buffer/entry.ts'
import type { RedisClock } from '../../clock/redis-clock.ts'
import type { ErasureTokenOf } from '../../erasure/token.ts'
import type { Journal } from '../../wal/journal.ts'
import { countFiltered, judgeSync, type Rejection } from './judge.ts'

export type SyncReceipt = {
  received: number
  buffered: number
  duplicates: number
  filtered: number
  rejected: Rejection[]
}

/** Another sync of the same participant may come between a try and the next; more in a row are a flood. */
const TRIES_MAX = 5

export type SyncOptions = {
  redis: Redis
  journal: Pick<Journal, 'append' | 'taken'>
  accessCheck: AccessCheck
  tokenOf: ErasureTokenOf
  sources: readonly string[]
  clock: Pick<RedisClock, 'now' | 'isSure'>
}

/** The verb behind `POST /track/sync`: answered once the points are in the buffer, so that the phone may forget them. */
export function acceptSyncs({ redis, journal, accessCheck, tokenOf, sources, clock }: SyncOptions) {
  /** The journal has a copy until PostgreSQL has the points, in case Redis comes back empty. A full disk has none. */
  const journalSync = async (sync: Pick<Sync, 'userId' | 'source' | 'receivedAt'>, points: string) => {
    const receipt = await journal.append(`${JSON.stringify(sync).slice(0, -1)},"points":${points}}`)
    if (receipt) journal.taken(receipt)
  }

  /** Buffers the points that were not sent within 60 s, and resolves with them. @throws StoreUnavailable */
  const buffer = async (
    { userId, source, receivedAt }: Pick<Sync, 'userId' | 'source' | 'receivedAt'>,
    points: Point[],
  ): Promise<Point[] | ApiError> => {
    const token = tokenOf(userId)
    let left = points
    for (let tries = 0; tries < TRIES_MAX; tries++) {
      if (left.length === 0) return left
      const packed = left.map((point) => packPoint(point, source))
      const json = JSON.stringify(packed)
      const sync = { userId, token, source, receivedAt, points: packed, packed: json }
      const outcome = await appendSync(redis, sync)
      if (outcome !== 'closed' && 'receivedAt' in outcome) {
        await journalSync({ userId, source, receivedAt: outcome.receivedAt }, json)
        return left
      }
      if (outcome === 'closed') {
        const denied = await accessCheck.confirmClosed(userId)
        if (denied) return denied
        continue
      }
      left = left.filter((_, position) => !outcome.duplicates.has(position))
    }
    throw new StoreUnavailable('buffer', new Error('other syncs of this participant were always faster'))
  }

  /** An ApiError when no point of the sync can be taken. @throws StoreUnavailable when the buffer cannot take it now */
  return async ({ userId, source: given, points }: TrackSyncBody): Promise<SyncReceipt | ApiError> => {
    const denied = accessCheck.apiErrorFor(userId)
    if (denied) return denied
    const source = given ?? DEFAULT_SOURCE_OF.track
    if (!sources.includes(source)) return new ApiError('invalid', `source: expected ${sources.join(', ')}`)
    const receivedAt = clock.now()
    const judged = judgeSync(points, {
      ...{ source, sources, now: receivedAt },
      unsureMs: clock.isSure() ? 0 : UNSURE_CLOCK_MS,
    })
    const buffered = await buffer({ userId, source, receivedAt }, judged.points)
    if (buffered instanceof ApiError) return buffered
    return {
      received: points.length,
      buffered: buffered.length,
      duplicates: judged.repeated + judged.points.length - buffered.length,
      filtered: countFiltered(buffered),
      rejected: judged.rejected,
    }
  }
}
