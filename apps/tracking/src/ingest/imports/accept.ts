import type { Database } from '@palanquin/db/client'
import { IMPORT_SOURCE } from '@palanquin/domain/point'
import { UNSURE_CLOCK_MS } from '@palanquin/domain/point/judge'
import type { ImportedCounts, ImportedPoints } from '@palanquin/domain/recording-import'
import { ApiError } from '@palanquin/service/http/api-error'
import type { AccessCheck } from '../../access/access-check.ts'
import type { RedisClock } from '../../clock/redis-clock.ts'
import type { SyncBuffer } from '../track-sync/buffer.ts'
import { judgeSync } from '../track-sync/judge.ts'
import { storedAlready } from './known.ts'

/** Until a flush, PostgreSQL does not have what was imported: two of its usual intervals. */
const REMEMBERED_MS = 600_000

export type ImportOptions = {
  db: Pick<Database, 'queryAs'>
  buffer: Pick<SyncBuffer, 'append'>
  accessCheck: Pick<AccessCheck, 'apiErrorFor'>
  clock: Pick<RedisClock, 'now' | 'isSure'>
}

/**
 * The verb behind an imported file: points judged as those of `/track/sync`, and in the buffer when it resolves. A file that
 * is sent again is found in PostgreSQL, or among what was imported in the last minutes.
 */
export function acceptImports({ db, buffer, accessCheck, clock }: ImportOptions) {
  /** `arrivedAt`: when the file came. An ApiError when no point is taken now. @throws StoreUnavailable: to be sent again */
  return async (
    { userId, points: given }: ImportedPoints,
    arrivedAt?: number,
  ): Promise<ImportedCounts | ApiError> => {
    const denied = accessCheck.apiErrorFor(userId)
    if (denied) return denied
    const now = clock.now()
    const judged = judgeSync(given, {
      source: IMPORT_SOURCE,
      sources: [IMPORT_SOURCE],
      now,
      unsureMs: clock.isSure() ? 0 : UNSURE_CLOCK_MS,
    })
    const already = await storedAlready(db, userId, judged.points)
    const fresh = judged.points.filter((point) => !already.has(point))
    const head = { userId, source: IMPORT_SOURCE, receivedAt: Math.min(arrivedAt ?? now, now) }
    const stored = await buffer.append(head, fresh, { windowMs: REMEMBERED_MS })
    if (stored instanceof ApiError) return stored
    const rejected = (wanted: string) => judged.rejected.filter(({ reason }) => reason === wanted).length
    return {
      stored: stored.length,
      duplicates: judged.repeated + judged.points.length - stored.length,
      tooOld: rejected('too_old'),
      future: rejected('future'),
      invalid: rejected('invalid'),
    }
  }
}
