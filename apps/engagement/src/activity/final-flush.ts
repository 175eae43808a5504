import { type CopyAddress, callCopy } from '@palanquin/service/http/copies'
import { INTERNAL_TOKEN_HEADER, REQUEST_ID_HEADER } from '@palanquin/service/http/headers'
import type { Log } from '@palanquin/service/log'
import { everyCopy } from '../every-copy.ts'

/**
 * Hundreds of thousands of buffered points; below the 60 s that the gateway gives to the end of the activity, and after
 * which a running request is cut off on a Unix socket.
 */
const FLUSH_DEADLINE_MS = 50_000

export type FinalFlush = (requestId: string) => Promise<boolean>

/**
 * Asks EVERY copy of tracking to empty its journal and the buffer into the database and to settle every track: each has a
 * journal of its own, and what one of them answered 202 for may be on its disk alone. Answers whether all did; a copy that
 * is away may hold check-ins, so it counts as one that did not. The reason of a failure is logged. `trackingUrl` is
 * `http://host:port` or `unix:/path`, several by comma; a name stands for every machine that it leads to.
 */
export function finalFlush({
  trackingUrl,
  internalToken,
  log,
  deadlineMs = FLUSH_DEADLINE_MS,
}: {
  trackingUrl: string
  internalToken: string
  log: Log
  deadlineMs?: number
}): FinalFlush {
  const flushAt = async (copy: CopyAddress, requestId: string): Promise<boolean> => {
    const address = copy.unix ?? copy.origin
    try {
      const answer = await callCopy(copy, '/internal/flush', {
        method: 'POST',
        headers: { [INTERNAL_TOKEN_HEADER]: internalToken, [REQUEST_ID_HEADER]: requestId },
        signal: AbortSignal.timeout(deadlineMs),
      })
      await answer.arrayBuffer()
      if (answer.ok) return true
      log.warn({ requestId, address, status: answer.status }, 'the final flush was refused')
    } catch (error) {
      log.warn({ requestId, address, reason: String(error) }, 'the final flush did not answer')
    }
    return false
  }

  return async (requestId) => {
    try {
      const copies = await everyCopy(trackingUrl)
      // Each flushes behind the drain of its own journal, so all of it is stored when the last of them has answered.
      const flushed = await Promise.all(copies.map((copy) => flushAt(copy, requestId)))
      return flushed.every(Boolean)
    } catch (error) {
      log.warn({ requestId, reason: String(error) }, 'where tracking runs is not known')
      return false
    }
  }
}
