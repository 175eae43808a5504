import { INTERNAL_TOKEN_HEADER, REQUEST_ID_HEADER } from '@palanquin/service/http/headers'
import type { Log } from '@palanquin/service/log'

/** Hundreds of thousands of buffered points; below the idle limit of 60 s that cuts a running request. */
const FLUSH_DEADLINE_MS = 50_000

export type FinalFlush = (requestId: string) => Promise<boolean>

/**
 * Asks tracking to empty its journal and buffer into the database and to settle every track. Answers whether it
 * did; the reason of a failure is logged. `trackingUrl` is `http://host:port` or `unix:/path`.
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
  const unix = trackingUrl.startsWith('unix:') ? trackingUrl.slice('unix:'.length) : undefined
  const url = new URL('/internal/flush', unix ? 'http://tracking' : trackingUrl)
  return async (requestId) => {
    try {
      const answer = await fetch(url, {
        method: 'POST',
        headers: { [INTERNAL_TOKEN_HEADER]: internalToken, [REQUEST_ID_HEADER]: requestId },
        redirect: 'manual',
        signal: AbortSignal.timeout(deadlineMs),
        ...(unix ? { unix } : {}),
      })
      await answer.arrayBuffer()
      if (answer.ok) return true
      log.warn({ requestId, status: answer.status }, 'the final flush was refused')
    } catch (error) {
      log.warn({ requestId, reason: String(error) }, 'the final flush did not answer')
    }
    return false
  }
}
