import { DEFAULT_SOURCE_OF } from '@palanquin/domain/point'
import { TrackSyncBody } from '@palanquin/domain/point/input'
import { UNSURE_CLOCK_MS } from '@palanquin/domain/point/judge'
import { ApiError } from '@palanquin/service/http/api-error'
import { readJsonText } from '@palanquin/service/http/json-body'
import { body } from '@palanquin/service/http/standard-schema'
import type { AccessCheck } from '../../access/access-check.ts'
import type { RedisClock } from '../../clock/redis-clock.ts'
import type { SyncBuffer } from './buffer.ts'
import { countFiltered, type Judged, judgeSync, type Rejection } from './judge.ts'
import { type ScannedSync, scanSync } from './scan-sync.ts'

export type SyncReceipt = {
  received: number
  buffered: number
  duplicates: number
  filtered: number
  rejected: Rejection[]
}

export type SyncOptions = {
  buffer: Pick<SyncBuffer, 'append' | 'appendPacked'>
  accessCheck: Pick<AccessCheck, 'apiErrorFor'>
  /** Whose points are that name this id. */
  ownerOf: (userId: string) => string
  sources: readonly string[]
  clock: Pick<RedisClock, 'now' | 'isSure'>
}

const { validate } = body(TrackSyncBody)['~standard']

/** The verb behind `POST /track/sync`: answered once the points are in the buffer, so that the phone may forget them. */
export function acceptSyncs({ buffer, accessCheck, ownerOf, sources, clock }: SyncOptions) {
  const judgingAt = (now: number) => ({ sources, now, unsureMs: clock.isSure() ? 0 : UNSURE_CLOCK_MS })

  const accept = async ({
    userId: named,
    source: given,
    points,
  }: TrackSyncBody): Promise<SyncReceipt | ApiError> => {
    const userId = ownerOf(named)
    const denied = accessCheck.apiErrorFor(userId)
    if (denied) return denied
    const source = given ?? DEFAULT_SOURCE_OF.track
    if (!sources.includes(source)) return new ApiError('invalid', `source: expected ${sources.join(', ')}`)
    const receivedAt = clock.now()
    const judged = judgeSync(points, { source, ...judgingAt(receivedAt) })
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

  const acceptScanned = async (
    { userId: named, source, received, points, filtered, rejected }: ScannedSync,
    { receivedAt, judgeAgain }: { receivedAt: number; judgeAgain: () => Judged },
  ): Promise<SyncReceipt | ApiError> => {
    const userId = ownerOf(named)
    const denied = accessCheck.apiErrorFor(userId)
    if (denied) return denied
    const buffered = await buffer.appendPacked(
      { userId, source, receivedAt },
      points,
      () => judgeAgain().points,
    )
    if (buffered === 'all') return { received, buffered: points.count, duplicates: 0, filtered, rejected }
    if (buffered instanceof ApiError) return buffered
    const duplicates = points.count - buffered.length
    return { received, buffered: buffered.length, duplicates, filtered: countFiltered(buffered), rejected }
  }

  return {
    /** An ApiError when no point of the sync can be taken. @throws StoreUnavailable when the buffer cannot take it now */
    accept,
    /** The same of the text of a body. @throws ApiError for one that is no sync */
    acceptText: (json: string): Promise<SyncReceipt | ApiError> => {
      const judging = judgingAt(clock.now())
      const parse = () => validate(readJsonText(json)).value
      const scanned = scanSync(json, judging)
      if (!scanned) return accept(parse())
      const { source } = scanned
      const judgeAgain = () => judgeSync(parse().points, { source, ...judging })
      return acceptScanned(scanned, { receivedAt: judging.now, judgeAgain })
    },
  }
}
