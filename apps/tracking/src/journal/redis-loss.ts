import type { Log } from '@palanquin/service/log'
import type { Redis } from '@palanquin/service/redis'
import { isForbidden, redisProblem } from '@palanquin/service/redis-requirements'
import { callRedis } from '../buffer/call-redis.ts'
import { inspectBuffer } from '../buffer/epoch.ts'
import type { Journal } from './journal.ts'

export type RedisWatch = ReturnType<typeof createRedisWatch>

type RetainedJournal = Pick<
  Journal,
  'withoutHighWater' | 'markPersisted' | 'markFlushed' | 'hasUnflushed' | 'requeue' | 'epoch'
>

type RedisWatchOptions = {
  journal: RetainedJournal
  redis: Redis
  /** Redis must know who was erased before anything is replayed. @throws StoreUnavailable */
  restoreTokens: () => Promise<void>
  now: () => number
  log: Log
}

/**
 * Keeps what Redis has taken in the journal until it was flushed to PostgreSQL, and replays it when Redis has come
 * back without its data. Every process does so for its own journal.
 */
export function createRedisWatch({ journal, redis, restoreTokens, now, log }: RedisWatchOptions) {
  let epoch: string | null = journal.epoch
  let checking: Promise<unknown> = Promise.resolve()
  let isWritten = false
  let problem: string | undefined
  let isConnected = redis.isReady
  let wasAway = false
  redis.on('ready', () => {
    wasAway ||= isConnected
    isConnected = true
  })

  /** Whether Redis may throw away what it took: nothing follows from what it still has, or lacks, then. */
  const mayLose = async (): Promise<boolean> => {
    const found = await callRedis(
      redisProblem(redis).catch((error: unknown) => {
        if (isForbidden(error)) return undefined
        throw error
      }),
    )
    if (found !== undefined && found !== problem)
      log.error(
        { event: 'journal.kept_all', reason: found },
        'Redis may lose what it took; the journal keeps everything until that is mended',
      )
    problem = found
    return found !== undefined
  }

  const checkOnce = async (): Promise<boolean> => {
    isWritten = false
    if (!redis.isReady) return false
    if (await mayLose()) return true
    const began = now()
    const incomplete = journal.withoutHighWater() // before the streams are read: they may end before what completes meanwhile
    const buffer = await inspectBuffer(redis)
    isWritten = buffer.isWritten
    // What Redis took before it was lost was answered before this call was: its receipts come first.
    await new Promise<void>((tick) => setImmediate(tick))
    const isEmptied = epoch !== null && epoch !== buffer.epoch
    if (isEmptied) await restoreTokens()
    if (isEmptied || wasAway) await requeue(isEmptied ? 'all' : 'unpersisted')
    else {
      if (isWritten) journal.markPersisted(began)
      for (const segment of incomplete) segment.highWater = buffer.newest
      if (journal.hasUnflushed()) journal.markFlushed(buffer.oldest)
    }
    epoch = buffer.epoch
    return true
  }

  const requeue = async (lost: 'all' | 'unpersisted'): Promise<void> => {
    wasAway = false
    const entries = await journal.requeue(lost)
    if (lost === 'all')
      log.error(
        { event: 'journal.requeued_all', entries },
        'Redis has come back without its data; the journal is replayed',
      )
    else if (entries > 0)
      log.info(
        { event: 'journal.requeued_latest', entries },
        'Redis was away; its latest entries are replayed from the journal',
      )
  }

  return {
    /**
     * Checks now, after a check under way; false when Redis is not connected.
     * @throws StoreUnavailable when a store is away; nothing is lost then
     */
    check: (): Promise<boolean> => {
      const next = checking.then(ignore, ignore).then(checkOnce)
      checking = next
      return next
    },
    /** The epoch in which Redis took, and wrote down, what the journal holds; null when the last check could not decide it. */
    epoch: (): string | null => (isWritten && !wasAway ? epoch : null),
  }
}

const ignore = () => {}
