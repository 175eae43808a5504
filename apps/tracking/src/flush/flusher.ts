import { ApiError } from '@palanquin/service/http/api-error'
import { type FlushContext, type Flushed, type FlushManner, flushShards } from './flush-shards.ts'
import { type FlushLock, LOCK_EXTEND_MS, takeFlushLock, waitForFlushLock } from './lock.ts'
import { Pace } from './pace.ts'
import { REBUILD_POINTS_A_FLUSH } from './rebuild/rebuild.ts'

export type FlusherContext = Omit<FlushContext, 'emptied'> & {
  /** The owner of the lock: this process, and its successor after a restart. */
  instance: string
  /** How many stored points a scheduled flush reads for rebuilds. */
  rebuildPointsMax?: number
  /** The pace of a flush that no caller waits for. */
  gentle?: () => Pace
}

export type Flusher = ReturnType<typeof createFlusher>

/** The flushes of this process, one at a time. */
export function createFlusher(context: FlusherContext) {
  const { redis, log, instance, rebuildPointsMax = REBUILD_POINTS_A_FLUSH, gentle = Pace.gentle } = context
  const emptied = new Set<number>()
  let running: Promise<unknown> | undefined
  let pace: Pace | undefined
  let next: Promise<Flushed> | undefined
  let nextIsGentle = true
  let isWaiting = false

  const track = <T>(flush: Promise<T>): Promise<T> => {
    const tracked = flush.finally(() => {
      running = undefined
    })
    running = tracked
    return tracked
  }

  const flushUnder = async (lock: FlushLock | undefined, manner: FlushManner): Promise<Flushed> => {
    const keeping = setInterval(() => void lock?.extend().catch(lockKept), LOCK_EXTEND_MS)
    try {
      const flushed = await flushShards({ ...context, emptied }, manner)
      if (isWaiting) log.info({ event: 'flush.resumed' }, 'The flush works again')
      isWaiting = false
      return flushed
    } finally {
      clearInterval(keeping)
      await lock?.release().catch(lockKept)
    }
  }
  const lockKept = (error: Error) =>
    log.debug({ event: 'flush.lock_kept', reason: error.message }, 'The flush lock will expire')

  const onDemand = async (gently: boolean): Promise<Flushed> => {
    pace = gently ? gentle() : Pace.urgent()
    const lock = await waitForFlushLock(redis, instance)
    return flushUnder(lock, { pace, rebuildPoints: Number.POSITIVE_INFINITY })
  }

  const ifFree = async (): Promise<Flushed | undefined> => {
    pace = gentle()
    const lock = await takeFlushLock(redis, instance)
    return lock && (await flushUnder(lock, { pace, rebuildPoints: rebuildPointsMax }))
  }

  const afterThat = (current: Promise<unknown>): Promise<Flushed> =>
    current.then(ignore, ignore).then(() => {
      const gently = nextIsGentle
      next = undefined
      nextIsGentle = true
      return track(onDemand(gently))
    })

  return {
    /**
     * Flushes everything that was in the buffer at the call, and rebuilds all tracks that need it. A call while a flush
     * runs gets the one after it; unless it is to be done `gently`, the one that runs hurries from then on.
     * @throws StoreUnavailable when a store is away; nothing is lost then
     */
    flush: ({ gently = false }: { gently?: boolean } = {}): Promise<Flushed> => {
      if (!running) return track(onDemand(gently))
      if (!gently) pace?.hurry()
      nextIsGentle &&= gently
      next ??= afterThat(running)
      return next
    },
    /** The scheduled flush, gentle: does nothing while another flush runs, and never rejects for a store that is away. */
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
    /** A flush that runs goes on as fast as it can. */
    hurry: (): void => pace?.hurry(),
    /** Resolves when no flush runs. */
    settled: async (): Promise<void> => {
      await running?.then(ignore, ignore)
    },
  }
}

const ignore = () => {}
