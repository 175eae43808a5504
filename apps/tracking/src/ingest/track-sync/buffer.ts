import type { Point } from '@palanquin/domain/point'
import { DeadlineExceeded, withDeadline } from '@palanquin/service/deadline'
import { type ApiError, StoreUnavailable } from '@palanquin/service/http/api-error'
import type { Log } from '@palanquin/service/log'
import { packPoint } from '../../buffer/entry.ts'
import { type PackedSync, packTuples } from '../../buffer/pack-sync.ts'
import { type Head, type PackedPoints, type SyncStores, syncAttempts, type Tried } from './attempt.ts'

/** Another sync of the same participant may come between a try and the next; more in a row are a flood. */
const TRIES_MAX = 5
/** How long Redis has before the journal alone takes the points, and is left alone after it was late. */
const REDIS_DEADLINE_MS = 2_000

export type SyncBufferOptions = SyncStores & { log: Log }
export type SyncBuffer = ReturnType<typeof syncBuffer>
/** All of a sync's points are in the buffer, or those. */
export type Buffered = 'all' | readonly Point[]

/**
 * Brings judged points into the buffer, for `/track/sync`, for the apps of phones and for imported files. While Redis is away or
 * late the journal alone takes them, and replays them: repeats are found by their keys then.
 */
export function syncBuffer({ log, ...stores }: SyncBufferOptions) {
  const { redis } = stores
  const { attempt, attemptAll, meaningOf, sizeMax, writeJournal } = syncAttempts(stores)

  const appendToRedis = async (
    head: Head,
    points: readonly Point[],
    windowMs: number | undefined,
  ): Promise<readonly Point[] | ApiError> => {
    let left = points
    for (let tries = 0; tries < TRIES_MAX; tries++) {
      if (left.length === 0) return left
      const outcome = await attempt({ head, points: packPoints(left, head), windowMs })
      if (outcome === 'taken') return left
      if (outcome === 'again') continue
      if (!('size' in outcome)) return outcome
      left = left.filter((_, position) => !outcome.has(position))
    }
    throw new StoreUnavailable('buffer', new Error('other syncs of this participant were always faster'))
  }

  const noteLate = (error: unknown) =>
    log.debug({ event: 'sync.append_late', err: error }, 'Redis was late, and then it failed')
  let lateUntilMs = 0
  /** What Redis did with the points; undefined where it is away or late. It may have taken them then. */
  const inTime = async <T>(work: () => Promise<T>): Promise<T | undefined> => {
    if (!redis.isReady || performance.now() < lateUntilMs) return undefined
    try {
      return await withDeadline(work(), { what: 'Redis', deadlineMs: REDIS_DEADLINE_MS, onLate: noteLate })
    } catch (error) {
      if (error instanceof DeadlineExceeded) lateUntilMs = performance.now() + REDIS_DEADLINE_MS
      else if (!(error instanceof StoreUnavailable)) throw error
      return undefined
    }
  }

  /**
   * Resolves with the points that were not sent within 60 s (or `windowMs`), once they are buffered; an ApiError while the
   * activity takes none. @throws StoreUnavailable when Redis and the journal take none
   */
  const append = async (
    head: Head,
    points: readonly Point[],
    { windowMs }: { windowMs?: number } = {},
  ): Promise<readonly Point[] | ApiError> => {
    const buffered = await inTime(() => appendToRedis(head, points, windowMs))
    if (buffered) return buffered
    await writeJournal([{ head, points: packPoints(points, head) }])
    return points
  }

  const appendRest = async (
    head: Head,
    { tried, unpack }: { tried: Tried; unpack: () => readonly Point[] },
  ): Promise<Buffered | ApiError> => {
    if (tried === 'taken') return 'all'
    if (tried === 'again') return append(head, unpack())
    if (!('size' in tried)) return tried
    return append(
      head,
      unpack().filter((_, position) => !tried.has(position)),
    )
  }

  return {
    append,
    /** How many syncs `appendAll` takes: a script's worth. */
    sizeMax,
    /**
     * The same for several whose points are packed already, in one step. What is left to do for one of them (some were sent before,
     * or the activity seems closed) is its `rest`, which resolves and throws as `append` does; without one all are buffered.
     * @throws StoreUnavailable for all
     */
    appendAll: async <Of extends PackedPoints>(
      syncs: readonly Of[],
      unpack: (of: Of) => readonly Point[],
    ): Promise<{ of: Of; rest?: () => Promise<Buffered | ApiError> }[]> => {
      const outcomes = await inTime(() => attemptAll(syncs))
      if (!outcomes) await writeJournal(syncs)
      return syncs.map((of, at) => {
        const outcome = outcomes?.[at]
        if (outcome === undefined || outcome === 'appended' || outcome === 'erased') return { of }
        const rest = async () =>
          appendRest(of.head, { tried: await meaningOf(outcome, of.head), unpack: () => unpack(of) })
        return { of, rest }
      })
    },
  }
}

export const packPoints = (points: readonly Point[], { source }: Head): PackedSync =>
  packTuples(points.map((point) => packPoint(point, source)))
