import type { CopyAddress } from '@palanquin/service/http/copies'
import type { Log } from '@palanquin/service/log'
import { serviceClient } from '@palanquin/service/service-client'
import { everyCopy } from '../every-copy.ts'

/** Hundreds of thousands of points, within the 60 s that the gateway gives to the end of the activity. */
const FLUSH_DEADLINE_MS = 50_000

export type FinalFlush = (requestId: string) => Promise<boolean>

/** Makes every copy of tracking store its journal and the buffer; whether all did. */
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
    const tracking = serviceClient({ name: 'tracking', to: copy, internalToken })
    try {
      const reply = await tracking.callBytes({
        method: 'POST',
        path: '/internal/flush',
        requestId,
        deadlineMs,
      })
      if (!reply.ok)
        log.warn(
          { event: 'final_flush.refused', requestId, address, status: reply.status },
          'Final flush was refused',
        )
      return reply.ok
    } catch (error) {
      log.warn(
        { event: 'final_flush.failed', requestId, address, reason: String(error) },
        'Final flush failed',
      )
      return false
    }
  }

  return async (requestId) => {
    try {
      const copies = await everyCopy(trackingUrl)
      // Each flushes after draining its own journal, so all is stored when the last one has responded.
      const flushed = await Promise.all(copies.map((copy) => flushAt(copy, requestId)))
      return flushed.every(Boolean)
    } catch (error) {
      log.warn(
        { event: 'final_flush.unresolved', requestId, reason: String(error) },
        'Address of tracking is unknown',
      )
      return false
    }
  }
}
