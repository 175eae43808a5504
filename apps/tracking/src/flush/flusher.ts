import { ApiError } from '@palanquin/service/http/api-error'
import type { Redis } from '@palanquin/service/redis'
import { type FlushContext, type Flushed, flushShards } from './flush-shards.ts'
import { type FlushLock, takeFlushLock } from './lock.ts'
import { REBUILD_POINTS_A_FLUSH } from './rebuild/rebuild.ts'

/** How long a flush on demand waits for another process's lock before it runs beside it, which does no harm. */
const LOCK_WAIT_MS = 5_000
const LOCK_POLL_MS = 100

export type FlusherContext = FlushContext & {
  /** The owner of the lock: this process, and its successor after a restart. */
  instance: string
  /** How many stored points a scheduled flush reads for rebuilds. */
  rebuildPointsMax?: number
}

export type Flusher = ReturnType<typeof createFlusher>

/** The flushes of this process, one at a time. */
export function createFlusher(context: FlusherContext) {
  const { redis, log, instance, rebuildPointsMax = REBUILD_POINTS_A_FLUSH } = context
  let running: Promise<unknown> | undefined
  let next: Promise<Flushed> | undefined
  let isWaiting = false

  const track = <T>(flush: Promise<T>): Promise<T> => {
    const tracked = flush.finally(() => {
      running = undefined
    })
    running = tracked
    return tracked
  }

  const flushUnder = async (lock: FlushLock | undefined, rebuildPoints: number): Promise<Flushed> => {
    try {
      const flushed = await flushShards(context, rebuildPoints)
      if (isWaiting) log.info({ event: 'flush.resumed' }, 'The flush works again')
      isWaiting = false
      return flushed
    } finally {
      await lock
        ?.release()
        .catch((error: Error) =>
          log.debug({ event: 'flush.lock_kept', reason: error.message }, 'The flush lock will expire'),
        )
    }
  }

  const onDemand = async (): Promise<Flushed> =>
    flushUnder(await waitForLock(redis, instance), Number.POSITIVE_INFINITY)

  const ifFree = async (): Promise<Flushed | undefined> => {
    const lock = await takeFlushLock(redis, instance)
    return lock && (await flushUnder(lock, rebuildPointsMax))
  }

  return {
    /**
     * Flushes everything that was in the buffer at the call, and rebuilds all tracks that need it. A call while a flush
     * runs gets the one after it. @throws StoreUnavailable when a store is away; nothing is lost then
     */
    flush: (): Promise<Flushed> => {
      if (!running) return track(onDemand())
      next ??= running.then(ignore, ignore).then(() => {
        next = undefined
        return track(onDemand())
      })
      return next
    },
    /** The scheduled flush: does nothing while another flush runs, and never rejects for a store that is away. */
    flushIfFree: async (): Promise<void> => {
      if (running) return
      try {
        const flushed = await track(ifFree())
        if (flushed) log.info({ event: 'flush.completed', ...flushed }, 'Flush completed')
      } catch (error) {
        if (!(error instanceof ApiError)) throw error
        if (!isWaiting)
          log.warn(
            { event: 'flush.postponed', reason: String(error.cause) },
            'The flush waits for a store; the buffer keeps everything',
          )
        isWaiting = true
      }
    },
    /** Resolves when no flush runs. */
    settled: async (): Promise<void> => {
      await running?.then(ignore, ignore)
    },
  }
}

const ignore = () => {}

async function waitForLock(redis: Redis, instance: string): Promise<FlushLock | undefined> {
  const deadline = performance.now() + LOCK_WAIT_MS
  for (;;) {
    const lock = await takeFlushLock(redis, instance)
    if (lock || performance.now() > deadline) return lock
    await Bun.sleep(LOCK_POLL_MS)
  }
}
