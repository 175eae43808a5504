import { type CopyAddress, callCopy } from '@palanquin/service/http/copies'
import { INTERNAL_TOKEN_HEADER } from '@palanquin/service/http/headers'
import type { Log } from '@palanquin/service/log'
import { everyCopy } from '../every-copy.ts'

/** One look-up by key there. A copy that is away or busy hears it from the bus, or reads it itself within half a second. */
const REFRESH_MS_MAX = 300

/** Has every process that decides by status and consent out of memory read a participant anew; never rejects. */
export type RefreshViews = (userId: string) => Promise<void>

/**
 * Waits until each copy of tracking and of the map has it, so that a check-in behind the answer to a withdrawal is refused,
 * or for a moment at most. `urls` are those of the services, as `TRACKING_URL` has them.
 */
export function refreshViewsAt({
  urls,
  internalToken,
  log,
}: {
  urls: readonly string[]
  internalToken: string
  log: Log
}): RefreshViews {
  const refreshAt = async (copy: CopyAddress, userId: string): Promise<void> => {
    const answer = await callCopy(copy, '/internal/participants/refresh', {
      method: 'POST',
      headers: { 'content-type': 'application/json', [INTERNAL_TOKEN_HEADER]: internalToken },
      body: JSON.stringify({ userId }),
      signal: AbortSignal.timeout(REFRESH_MS_MAX),
    })
    await answer.arrayBuffer()
    if (!answer.ok) throw new Error(`answered ${answer.status}`)
  }
  const note = (error: unknown) =>
    log.debug(
      { event: 'participants.refresh_missed', reason: String(error) },
      'a process hears of a change later',
    )

  return async (userId) => {
    const found = await Promise.allSettled(urls.map(everyCopy))
    const copies = found.flatMap((one) => (one.status === 'fulfilled' ? one.value : []))
    const refreshed = await Promise.allSettled(copies.map((copy) => refreshAt(copy, userId)))
    for (const one of [...found, ...refreshed]) if (one.status === 'rejected') note(one.reason)
  }
}
