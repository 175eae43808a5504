import { unavailableMs } from './base.ts'
import { fetchInTime } from './fetch-in-time.ts'
import { retryAtMs, type Sent, send } from './send.ts'
import { nowMs } from './server-clock.ts'

/** `path`: of the card's public page. */
export type Card = { path: string; picture: Blob }

/** The picture of the public address, so that no page and no chat learns the id. */
export async function makeCard(userId: string): Promise<Sent<Card>> {
  const made = await send<{ shareUrl: string }>('/og-image', { userId })
  if (!made.ok) return made
  const path = new URL(made.data.shareUrl, location.origin).pathname
  try {
    const response = await fetchInTime(`${path}.png`, { credentials: 'omit' })
    if (!response.ok) {
      const isBusy = response.status === 503
      return { ok: false, kind: 'busy', retryAtMs: isBusy ? nowMs() + unavailableMs() : null }
    }
    const picture = await response.blob()
    return { ok: true, data: { path, picture } }
  } catch {
    return { ok: false, kind: 'offline', waits: !navigator.onLine }
  }
}

const TRIES = 4

/** As `makeCard`, again and again while the service is busy. */
export async function makeCardPatiently(userId: string): Promise<Sent<Card>> {
  for (let tries = 1; ; tries++) {
    const made = await makeCard(userId)
    const againMs = retryAtMs(made)
    if (againMs === null || tries === TRIES) return made
    await new Promise((resolve) => setTimeout(resolve, againMs - nowMs()))
  }
}
