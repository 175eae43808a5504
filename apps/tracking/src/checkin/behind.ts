import type { FailPoint } from '@palanquin/service/fail-point'
import { Refusal } from '@palanquin/service/http/refusal'
import type { Log } from '@palanquin/service/log'
import type { Redis } from '@palanquin/service/redis'
import { type AcceptedCheckin, appendCheckin } from '../buffer/append-checkin.ts'
import type { MarkOf } from '../erasure/mark.ts'
import type { Receipt } from '../journal/group-commit.ts'
import type { Journal } from '../journal/journal.ts'

/** Specification 4.6: the write behind a 202 has 8 seconds; then it is the journal's. */
const WRITE_DEADLINE_MS = 8_000
/** Writes under way from memory at a time; a stopped Redis would else hold every check-in of those 8 seconds twice. */
const UNDER_WAY_MAX = 4_096

export type BehindOptions = {
  journal: Journal
  redis: Redis
  markOf: MarkOf
  failPoint: FailPoint
  log: Log
}

/** What happens to a check-in after its 202: at once to Redis from memory, and else again from the journal's file. */
export function writeBehind({ journal, redis, markOf, failPoint, log }: BehindOptions) {
  const underWay = new Set<Promise<void>>()

  const write = async (checkin: AcceptedCheckin, receipt: Receipt) => {
    try {
      failPoint('checkin:before-redis')
      const mark = markOf(checkin.userId)
      await appendCheckin(redis, checkin, { mark, mode: 'live', deadlineMs: WRITE_DEADLINE_MS })
      failPoint('checkin:after-redis')
      journal.taken(receipt)
    } catch (error) {
      if (!(error instanceof Refusal))
        log.error({ err: error }, 'Redis refused a check-in; the journal keeps it')
      journal.left(receipt)
    }
  }

  return {
    /** Begins the write and does not wait for it. */
    begin: (checkin: AcceptedCheckin, receipt: Receipt): void => {
      if (!redis.isReady || underWay.size >= UNDER_WAY_MAX) {
        journal.left(receipt)
        return
      }
      const writing = write(checkin, receipt).finally(() => underWay.delete(writing))
      underWay.add(writing)
    },
    /** Resolves when the writes that are under way now have ended, one way or the other. */
    settled: async (): Promise<void> => {
      await Promise.all(underWay)
    },
  }
}
