import { shardOf } from '@palanquin/domain/ids'
import { chunk } from '@palanquin/service/chunk'
import type { FailPoint } from '@palanquin/service/fail-point'
import { ApiError } from '@palanquin/service/http/api-error'
import type { Log } from '@palanquin/service/log'
import type { Redis } from '@palanquin/service/redis'
import { type AcceptedCheckin, appendCheckins, CHECKINS_PER_SCRIPT_MAX } from '../../buffer/append-checkin.ts'
import type { ErasureTokenOf } from '../../erasure/token.ts'
import type { Receipt } from '../../wal/group-commit.ts'
import type { Journal } from '../../wal/journal.ts'

/** Specification 4.6: the write behind a 202 has 8 seconds; then it is the journal's. */
const WRITE_DEADLINE_MS = 8_000
/** Writes under way from memory at a time; a stopped Redis would else hold every check-in of those 8 seconds twice. */
const UNDER_WAY_MAX = 4_096

export type WriteBehindOptions = {
  journal: Journal
  redis: Redis
  tokenOf: ErasureTokenOf
  failPoint: FailPoint
  log: Log
}

type Accepted = { checkin: AcceptedCheckin; receipt: Receipt }

/**
 * What happens to a check-in after its 202: at once to Redis from memory, and else again from the journal's file. Those
 * of one turn of the event loop, which is to say of one write of the journal, go together.
 */
export function createWriteBehind({ journal, redis, tokenOf, failPoint, log }: WriteBehindOptions) {
  const underWay = new Set<Promise<void>>()
  let waiting: Accepted[] = []
  let checkins = 0

  const write = async (group: readonly Accepted[]) => {
    try {
      for (const _ of group) failPoint('checkin:before-redis')
      const entries = group.map(({ checkin }) => checkin)
      await appendCheckins(redis, entries, { tokenOf, mode: 'live', deadlineMs: WRITE_DEADLINE_MS })
      for (const _ of group) failPoint('checkin:after-redis')
      for (const { receipt } of group) journal.taken(receipt)
    } catch (error) {
      if (!(error instanceof ApiError))
        log.error({ err: error }, 'Redis refused check-ins; the journal keeps them')
      for (const { receipt } of group) journal.replayLater(receipt)
    } finally {
      checkins -= group.length
    }
  }

  const writeAll = async () => {
    const groups = redis.isCluster ? byShard(waiting) : [waiting]
    waiting = []
    await Promise.all(groups.flatMap((group) => chunk(group, CHECKINS_PER_SCRIPT_MAX)).map(write))
  }

  return {
    /** Begins the write and does not wait for it. */
    begin: (checkin: AcceptedCheckin, receipt: Receipt): void => {
      if (!redis.isReady || checkins >= UNDER_WAY_MAX) {
        journal.replayLater(receipt)
        return
      }
      checkins++
      if (waiting.push({ checkin, receipt }) > 1) return
      const writing = new Promise<void>((turn) => setImmediate(turn))
        .then(writeAll)
        .finally(() => underWay.delete(writing))
      underWay.add(writing)
    },
    /** Resolves when the writes that are under way now have ended, one way or the other. */
    settled: async (): Promise<void> => {
      await Promise.all(underWay)
    },
  }
}

export type WriteBehind = ReturnType<typeof createWriteBehind>

/** On a cluster each shard has a node of its own. */
const byShard = (group: readonly Accepted[]): (readonly Accepted[])[] => [
  ...Map.groupBy(group, ({ checkin }) => shardOf(checkin.userId)).values(),
]
