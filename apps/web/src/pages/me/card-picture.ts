import { type Sent, send } from '../../api/send.ts'

/** `path`: of the card's public page. */
export type Card = { path: string; picture: Blob }

/** The picture of the public address, so that no page and no chat learns the id. */
export async function makeCard(userId: string): Promise<Sent<Card>> {
  const made = await send<{ shareUrl: string }>('/og-image', { userId })
  if (!made.ok) return made
  const path = new URL(made.data.shareUrl, location.origin).pathname
  try {
    const response = await fetch(`${path}.png`, { credentials: 'omit' })
    if (!response.ok) return { ok: false, kind: 'busy', retryAtMs: null }
    const picture = await response.blob()
    return { ok: true, data: { path, picture } }
  } catch {
    return { ok: false, kind: 'offline', waits: !navigator.onLine }
  }
}
