import type { Point } from '@palanquin/domain/point'
import { DeadlineExceeded, withDeadline } from '@palanquin/service/deadline'
import { type ApiError, StoreUnavailable } from '@palanquin/service/http/api-error'
import type { Log } from '@palanquin/service/log'
import type { Redis } from '@palanquin/service/redis'
import type { AccessCheck } from '../../access/access-check.ts'
import { appendSync, type Sync } from '../../buffer/append-sync.ts'
import { packPoint } from '../../buffer/entry.ts'
import type { ErasureTokenOf } from '../../erasure/token.ts'
import type { Journal } from '../../wal/journal.ts'

/** Another sync of the same participant may come between a try and the next; more in a row are a flood. */
const TRIES_MAX = 5
/**
 * How long a phone app waits for Redis before the journal takes its points: its own time-out is some ten seconds, and three of
 * the apps give up within minutes. A Redis that was late is left alone for so long.
 */
const PHONE_DEADLINE_MS = 1_000

export type SyncBufferOptions = {
  redis: Redis
  journal: Pick<Journal, 'append' | 'taken' | 'replayLater'>
  accessCheck: Pick<AccessCheck, 'confirmClosed'>
  tokenOf: ErasureTokenOf
  log: Log
}

/** Whose points, from where, and when they arrived. */
type Head = Pick<Sync, 'userId' | 'source' | 'receivedAt'>

export type SyncBuffer = ReturnType<typeof syncBuffer>

/** Brings judged points into the buffer, for `/track/sync`, for the apps of phones and for imported files. */
export function syncBuffer({ redis, journal, accessCheck, tokenOf, log }: SyncBufferOptions) {
  const journalSync = (head: Head, points: string) =>
    journal.append(`${JSON.stringify(head).slice(0, -1)},"points":${points}}`)

  /**
   * Buffers the points that were not sent within 60 s (or `windowMs`), and resolves with them; an ApiError while the activity takes none.
   * The journal has a copy until PostgreSQL has the points, in case Redis comes back empty. A full disk has none.
   * @throws StoreUnavailable
   */
  const append = async (
    { userId, source, receivedAt }: Head,
    points: readonly Point[],
    { windowMs }: { windowMs?: number } = {},
  ): Promise<readonly Point[] | ApiError> => {
    const token = tokenOf(userId)
    let left = points
    for (let tries = 0; tries < TRIES_MAX; tries++) {
      if (left.length === 0) return left
      const packed = left.map((point) => packPoint(point, source))
      const json = JSON.stringify(packed)
      const sync = { userId, token, source, receivedAt, points: packed, packed: json, windowMs }
      const outcome = await appendSync(redis, sync)
      if (outcome !== 'closed' && 'receivedAt' in outcome) {
        const receipt = await journalSync({ userId, source, receivedAt: outcome.receivedAt }, json)
        if (receipt) journal.taken(receipt)
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

  const noteLate = (error: unknown) =>
    log.debug({ event: 'devices.append_late', err: error }, 'Redis was late, and then it failed')
  let lateUntilMs = 0
  /** The same under one short deadline; undefined where Redis is away or late. It may have taken the points then. */
  const appendSoon = async (
    head: Head,
    points: readonly Point[],
  ): Promise<readonly Point[] | ApiError | undefined> => {
    if (!redis.isReady || performance.now() < lateUntilMs) return undefined
    try {
      return await withDeadline(append(head, points), {
        what: 'Redis',
        deadlineMs: PHONE_DEADLINE_MS,
        onLate: noteLate,
      })
    } catch (error) {
      if (error instanceof DeadlineExceeded) lateUntilMs = performance.now() + PHONE_DEADLINE_MS
      else if (!(error instanceof StoreUnavailable)) throw error
      return undefined
    }
  }

  return {
    append,
    /**
     * The same, but while Redis is away or late the journal alone takes the points, and replays them: repeats are found by
     * their keys then. @throws StoreUnavailable when both are full or away
     */
    appendDurably: async (head: Head, points: readonly Point[]): Promise<readonly Point[] | ApiError> => {
      const outcome = await appendSoon(head, points)
      if (outcome) return outcome
      const packed = JSON.stringify(points.map((point) => packPoint(point, head.source)))
      const receipt = await journalSync(head, packed)
      if (!receipt) throw new StoreUnavailable('journal')
      journal.replayLater(receipt)
      return points
    },
  }
}
