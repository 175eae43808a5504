import type { CopyAddress } from '@palanquin/service/http/copies'
import type { Log } from '@palanquin/service/log'
import { serviceClient } from '@palanquin/service/service-client'
import { everyCopy } from '../every-copy.ts'

/** A copy that misses it follows the bus, or reads the row itself within half a second. */
const REFRESH_MS_MAX = 2_000

/** Makes every process with status and consent in memory re-read a participant; never rejects. */
export type RefreshViews = (userId: string) => Promise<void>

/** Calls each copy of tracking and of the map, so that a check-in after a withdrawal is refused. */
export function refreshViewsAt({
  urls,
  internalToken,
  log,
}: {
  urls: readonly string[]
  internalToken: string
  log: Log
}): RefreshViews {
  const refreshAt = async (to: CopyAddress, userId: string): Promise<void> => {
    const reply = await serviceClient({ name: 'view of participants', to, internalToken }).callBytes({
      method: 'POST',
      path: '/internal/participants/refresh',
      body: { userId },
      deadlineMs: REFRESH_MS_MAX,
    })
    if (!reply.ok) throw new Error(`${to.unix ?? to.origin} responded ${reply.status}`)
  }

  return async (userId) => {
    const found = await Promise.allSettled(urls.map(everyCopy))
    const copies = found.flatMap((one) => (one.status === 'fulfilled' ? one.value : []))
    const refreshed = await Promise.allSettled(copies.map((copy) => refreshAt(copy, userId)))
    for (const one of [...found, ...refreshed])
      if (one.status === 'rejected')
        log.debug(
          { event: 'participants.refresh_missed', reason: String(one.reason) },
          'Process follows a change later',
        )
  }
}
