import { DEFAULT_SOURCE_OF, type Point } from '@palanquin/domain/point'
import { TrackSyncBody } from '@palanquin/domain/point/input'
import { UNSURE_CLOCK_MS } from '@palanquin/domain/point/judge'
import { ApiError } from '@palanquin/service/http/api-error'
import { readJsonText } from '@palanquin/service/http/json-body'
import { body } from '@palanquin/service/http/standard-schema'
import type { AccessCheck } from '../../access/access-check.ts'
import type { Newcomers } from '../../access/newcomers.ts'
import type { RedisClock } from '../../clock/redis-clock.ts'
import { arrivalOf } from '../arrival.ts'
import type { PackedPoints } from './attempt.ts'
import { type Buffered, packPoints, type SyncBuffer } from './buffer.ts'
import { countFiltered, judgeSync, type Rejection } from './judge.ts'
import { scanSync } from './scan-sync.ts'

export type SyncReceipt = {
  received: number
  buffered: number
  duplicates: number
  filtered: number
  rejected: Rejection[]
}

/** A sync whose points were judged and packed, in the words of its receipt. */
export type JudgedSync = PackedPoints & Omit<SyncReceipt, 'buffered' | 'duplicates'> & { repeated: number }

/** `now` in epoch ms, which may be off by `unsureMs`; `receivedAt`: when the gateway had it. */
export type SyncJudging = { sources: readonly string[]; now: number; unsureMs: number; receivedAt: number }

export type SyncOptions = {
  buffer: Pick<SyncBuffer, 'append'>
  accessCheck: Pick<AccessCheck, 'apiErrorFor'>
  newcomers: Newcomers
  /** Whose points are that name this id. */
  ownerOf: (userId: string) => string
  sources: readonly string[]
  clock: Pick<RedisClock, 'now' | 'isSure'>
}

export type Syncs = ReturnType<typeof acceptSyncs>

const { validate } = body(TrackSyncBody)['~standard']
const parse = (json: string): TrackSyncBody => validate(readJsonText(json)).value

/** The verb behind `POST /track/sync`: answered once the points are in the buffer, so that the phone may forget them. */
export function acceptSyncs({ buffer, accessCheck, newcomers, ownerOf, sources, clock }: SyncOptions) {
  const judgingNow = (arrivedAt?: number): SyncJudging => {
    const now = clock.now()
    const receivedAt = Math.min(arrivalOf(arrivedAt, now), now)
    return { sources, now, unsureMs: clock.isSure() ? 0 : UNSURE_CLOCK_MS, receivedAt }
  }

  const judge = ({ userId: named, source: given, points }: TrackSyncBody, judging: SyncJudging) => {
    const userId = ownerOf(named)
    const denied = accessCheck.apiErrorFor(userId)
    if (denied) return denied
    const source = given ?? DEFAULT_SOURCE_OF.track
    if (!sources.includes(source)) return new ApiError('invalid', `source: expected ${sources.join(', ')}`)
    const head = { userId, source, receivedAt: judging.receivedAt }
    return { head, judged: judgeSync(points, { source, ...judging }) }
  }

  return {
    judgingNow,
    /** An ApiError when no point of the sync can be taken. @throws StoreUnavailable when the buffer cannot take it now */
    accept: async (sync: TrackSyncBody, arrivedAt?: number): Promise<SyncReceipt | ApiError> => {
      const outcome = judge(sync, judgingNow(arrivedAt))
      if (outcome instanceof ApiError) return outcome
      const { head, judged } = outcome
      const buffered = await buffer.append(head, judged.points)
      if (buffered instanceof ApiError) return buffered
      if (buffered.length > 0) newcomers.isNew(head.userId)
      return {
        received: sync.points.length,
        buffered: buffered.length,
        duplicates: judged.repeated + judged.points.length - buffered.length,
        filtered: countFiltered(buffered),
        rejected: judged.rejected,
      }
    },
    /**
     * The text of a body that names this `userId`, judged. Undefined for one that names another by our rules.
     * @throws ApiError for one that is no sync
     */
    judgeText: (json: string, named: string, judging: SyncJudging): JudgedSync | ApiError | undefined => {
      const scanned = scanSync(json, judging)
      if (scanned) {
        if (scanned.userId !== named) return undefined
        const userId = ownerOf(named)
        const denied = accessCheck.apiErrorFor(userId)
        if (denied) return denied
        const { source, received, points, filtered, rejected } = scanned
        const head = { userId, source, receivedAt: judging.receivedAt }
        return { head, points, received, filtered, rejected, repeated: 0 }
      }
      const sync = parse(json)
      if (sync.userId !== named) return undefined
      const outcome = judge(sync, judging)
      if (outcome instanceof ApiError) return outcome
      const { head, judged } = outcome
      const { points, repeated, rejected } = judged
      const filtered = countFiltered(points)
      return {
        head,
        points: packPoints(points, head),
        received: sync.points.length,
        filtered,
        rejected,
        repeated,
      }
    },
    /** The points of such a text once more, as they were packed. */
    pointsOf: (json: string, { source }: { source: string }, judging: SyncJudging): readonly Point[] =>
      judgeSync(parse(json).points, { source, ...judging }).points,
    /** The receipt of what of a judged sync is in the buffer now. */
    receiptOf: (sync: JudgedSync, buffered: Buffered): SyncReceipt => {
      const { received, points, filtered, rejected, repeated } = sync
      const isAll = buffered === 'all'
      const count = isAll ? points.count : buffered.length
      return {
        received,
        buffered: count,
        duplicates: repeated + points.count - count,
        filtered: isAll ? filtered : countFiltered(buffered),
        rejected,
      }
    },
  }
}
