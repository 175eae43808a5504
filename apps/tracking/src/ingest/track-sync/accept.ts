import { DEFAULT_SOURCE_OF } from '@palanquin/domain/point'
import type { TrackSyncBody } from '@palanquin/domain/point/input'
import { UNSURE_CLOCK_MS } from '@palanquin/domain/point/judge'
import { ApiError } from '@palanquin/service/http/api-error'
import type { AccessCheck } from '../../access/access-check.ts'
import type { RedisClock } from '../../clock/redis-clock.ts'
import type { SyncBuffer } from './buffer.ts'
import { countFiltered, judgeSync, type Rejection } from './judge.ts'

export type SyncReceipt = {
  received: number
  buffered: number
  duplicates: number
  filtered: number
  rejected: Rejection[]
}

export type SyncOptions = {
  buffer: SyncBuffer
  accessCheck: Pick<AccessCheck, 'apiErrorFor'>
  sources: readonly string[]
  clock: Pick<RedisClock, 'now' | 'isSure'>
}

/** The verb behind `POST /track/sync`: answered once the points are in the buffer, so that the phone may forget them. */
export function acceptSyncs({ buffer, accessCheck, sources, clock }: SyncOptions) {
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
    const buffered = await buffer.append({ userId, source, receivedAt }, judged.points)
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
