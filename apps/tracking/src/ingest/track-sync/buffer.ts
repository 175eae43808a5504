import type { Point } from '@palanquin/domain/point'
import { DeadlineExceeded, withDeadline } from '@palanquin/service/deadline'
import { type ApiError, StoreUnavailable } from '@palanquin/service/http/api-error'
import type { Log } from '@palanquin/service/log'
import { packPoint } from '../../buffer/entry.ts'
import { type PackedSync, packTuples } from '../../buffer/pack-sync.ts'
import { type Head, type SyncStores, syncAttempts } from './attempt.ts'

/** Another sync of the same participant may come between a try and the next; more in a row are a flood. */
const TRIES_MAX = 5
/**
 * How long a phone app waits for Redis before the journal takes its points: its own time-out is some ten seconds, and three of
 * the apps give up within minutes. A Redis that was late is left alone for so long.
 */
const PHONE_DEADLINE_MS = 1_000

export type SyncBufferOptions = SyncStores & { log: Log }
export type SyncBuffer = ReturnType<typeof syncBuffer>

/** Brings judged points into the buffer, for `/track/sync`, for the apps of phones and for imported files. */
export function syncBuffer({ log, ...stores }: SyncBufferOptions) {
  const { redis, journal } = stores
  const { attempt, writeJournal } = syncAttempts(stores)

  /**
   * Buffers the points that were not sent within 60 s (or `windowMs`), and resolves with them; an ApiError while the activity takes none.
   * @throws StoreUnavailable
   */
  const append = async (
    head: Head,
    points: readonly Point[],
    { windowMs }: { windowMs?: number } = {},
  ): Promise<readonly Point[] | ApiError> => {
    let left = points
    for (let tries = 0; tries < TRIES_MAX; tries++) {
      if (left.length === 0) return left
      const outcome = await attempt(head, packPoints(left, head), windowMs)
      if (outcome === 'taken') return left
      if (outcome === 'again') continue
      if (!('size' in outcome)) return outcome
      left = left.filter((_, position) => !outcome.has(position))
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
     * The same for points that are packed already: `all` of them, or those of `unpack` that were not sent before.
     * @throws StoreUnavailable
     */
    appendPacked: async (
      head: Head,
      points: PackedSync,
      unpack: () => readonly Point[],
    ): Promise<'all' | readonly Point[] | ApiError> => {
      if (points.count === 0) return 'all'
      const outcome = await attempt(head, points)
      if (outcome === 'taken') return 'all'
      if (outcome === 'again') return append(head, unpack())
      if (!('size' in outcome)) return outcome
      return append(
        head,
        unpack().filter((_, position) => !outcome.has(position)),
      )
    },
    /**
     * As `append`, but while Redis is away or late the journal alone takes the points, and replays them: repeats are found by
     * their keys then. @throws StoreUnavailable when both are full or away
     */
    appendDurably: async (head: Head, points: readonly Point[]): Promise<readonly Point[] | ApiError> => {
      const outcome = await appendSoon(head, points)
      if (outcome) return outcome
      const receipt = await writeJournal(head, packPoints(points, head))
      if (!receipt) throw new StoreUnavailable('journal')
      journal.replayLater(receipt)
      return points
    },
  }
}

const packPoints = (points: readonly Point[], { source }: Head): PackedSync =>
  packTuples(points.map((point) => packPoint(point, source)))
