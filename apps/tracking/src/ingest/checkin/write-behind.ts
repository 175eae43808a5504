import { shardOf } from '@palanquin/domain/ids'
import { chunk } from '@palanquin/service/chunk'
import type { ErasureTokenOf } from '@palanquin/service/erasure-token'
import type { FailPoint } from '@palanquin/service/fail-point'
import { ApiError } from '@palanquin/service/http/api-error'
import type { Log } from '@palanquin/service/log'
import type { Redis } from '@palanquin/service/redis'
import { type AcceptedCheckin, appendCheckins, CHECKINS_PER_SCRIPT_MAX } from '../../buffer/append-checkin.ts'
import { type Receipt, receiptBehind } from '../../journal/group-commit.ts'
import type { Journal } from '../../journal/journal.ts'

/** Specification 4.6: the write behind a 202 has 8 seconds; then the journal replays it. */
const WRITE_DEADLINE_MS = 8_000
/** Check-ins being written at a time; with a stopped Redis those of 8 seconds would else be in memory twice. */
const CHECKINS_MAX = 4_096

export type WriteBehindOptions = {
  journal: Journal
  redis: Redis
  tokenOf: ErasureTokenOf
  failPoint: FailPoint
  log: Log
}

type Queued = { checkin: AcceptedCheckin; receipt: Receipt }

/**
 * The write-behind queue of check-ins after their 202: to Redis at once from memory, or later from the journal. Those of
 * one event-loop tick, which is one write of the journal, are written together.
 */
export function createWriteBehind({ journal, redis, tokenOf, failPoint, log }: WriteBehindOptions) {
  const writes = new Set<Promise<void>>()
  let queue: Queued[] = []
  let checkins = 0

  const write = async (group: readonly Queued[]) => {
    try {
      for (const _ of group) failPoint('checkin:before-redis')
      const entries = group.map(({ checkin }) => checkin)
      await appendCheckins(redis, entries, { tokenOf, mode: 'live', deadlineMs: WRITE_DEADLINE_MS })
      for (const _ of group) failPoint('checkin:after-redis')
      for (const { receipt } of group) journal.taken(receipt)
    } catch (error) {
      if (!(error instanceof ApiError))
        log.error(
          { event: 'checkin.write_refused', err: error },
          'Redis refused check-ins; the journal keeps them',
        )
      for (const { receipt } of group) journal.replayLater(receipt)
    } finally {
      checkins -= group.length
    }
  }

  const writeAll = async () => {
    const groups = redis.isCluster ? byShard(queue) : [queue]
    queue = []
    await Promise.all(groups.flatMap((group) => chunk(group, CHECKINS_PER_SCRIPT_MAX)).map(write))
  }

  return {
    /** Queues the writes and does not wait for them. `first` is the receipt of the first; the others follow it. */
    begin: (accepted: readonly AcceptedCheckin[], first: Receipt): void => {
      if (!redis.isReady || checkins + accepted.length > CHECKINS_MAX) {
        for (const at of accepted.keys()) journal.replayLater(receiptBehind(first, at))
        return
      }
      checkins += accepted.length
      const isWaiting = queue.length > 0
      for (const [at, checkin] of accepted.entries())
        queue.push({ checkin, receipt: receiptBehind(first, at) })
      if (isWaiting) return
      const writing = new Promise<void>((tick) => setImmediate(tick))
        .then(writeAll)
        .finally(() => writes.delete(writing))
      writes.add(writing)
    },
    /** Resolves when the writes queued so far have ended, successfully or not. */
    settled: async (): Promise<void> => {
      await Promise.all(writes)
    },
  }
}

export type WriteBehind = ReturnType<typeof createWriteBehind>

/** On a cluster each shard has a node of its own. */
const byShard = (group: readonly Queued[]): (readonly Queued[])[] => [
  ...Map.groupBy(group, ({ checkin }) => shardOf(checkin.userId)).values(),
]
