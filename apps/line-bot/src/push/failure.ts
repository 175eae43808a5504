import type { Log } from '@palanquin/service/log'
import { backoffMs } from '@palanquin/service/retry'
import type { LineFailure } from '../line-client/outcome.ts'
import type { Chunk, ChunkStore, Settlement } from './chunks.ts'
import type { QuotaReader } from './quota.ts'

/** From one second to five minutes, so that a short outage costs little and a long one few calls. */
const BACKOFF = { minMs: 1_000, maxMs: 5 * 60_000 }
const QUOTA_SPENT = "quota: LINE says that this month's messages are used up"

/** `holdMs`: a pause for everything, because LINE reports that we are too fast. */
export type Delivered = { holdMs: number }
export const GO_ON: Delivered = { holdMs: 0 }

export type FailureOptions = {
  chunks: ChunkStore
  quota: Pick<QuotaReader, 'lacks' | 'forget'>
  settle: (chunk: Chunk, settlement: Settlement) => Promise<Delivered>
  log: Log
  /** From 0 to 1, for the jitter. */
  chance: () => number
}

/** What becomes of a chunk that LINE did not take: later, settled, or the whole push given up. */
export function createFailureHandler({ chunks, quota, settle, log, chance }: FailureOptions) {
  return async (chunk: Chunk, said: LineFailure): Promise<Delivered> => {
    // What was tried before may have been accepted, and have taken the last of the quota itself.
    const isFirst = said.is === 'rate' && chunk.attempts === 1
    const isSpent = isFirst && (await quota.lacks(chunk.userIds.length))
    const outcome: LineFailure = isSpent ? { is: 'quota' } : said
    const { pushId, userIds, attempts } = chunk
    const count = userIds.length
    const pauseMs = Math.round(backoffMs(attempts, { ...BACKOFF, random: chance }))
    switch (outcome.is) {
      case 'rate': {
        const holdMs = outcome.retryAfterMs ?? pauseMs
        await chunks.later(chunk, Math.max(holdMs, pauseMs), 'LINE asks for a slower pace')
        return { holdMs }
      }
      case 'unavailable':
        log.warn(
          { event: 'push.chunk_postponed', push: pushId, attempts, reason: outcome.reason },
          'LINE did not take a push; retrying',
        )
        await chunks.later(chunk, pauseMs, outcome.reason)
        return GO_ON
      case 'blocked':
        for (const userId of userIds) await chunks.markBlocked(chunk, userId)
        return settle(chunk, { blocked: count })
      case 'quota':
        quota.forget()
        log.error(
          { event: 'push.quota_exhausted', push: pushId },
          "LINE's monthly quota is used up; a push is not sent",
        )
        await settle(chunk, { failed: count, reason: QUOTA_SPENT })
        if (chunk.personal === null) await chunks.giveUpRest(chunk, QUOTA_SPENT)
        return GO_ON
      case 'invalid':
        log.error({ event: 'push.refused', push: pushId, status: outcome.status }, 'LINE refused a push')
        return settle(chunk, {
          failed: count,
          reason: `LINE refuses it (${outcome.status}): ${outcome.sentence}`,
        })
    }
  }
}
