import { apiBase } from './base.ts'
import { unavailableMs } from './unavailable.ts'

/** What became of a write, as a value: every outcome has a sentence for the person. */
export type Sent<T> =
  | { ok: true; data: T }
  /** `waits`: the phone knew that it has no network, so nothing has arrived, and it can go when there is one. */
  | { ok: false; kind: 'offline'; waits: boolean }
  /** `retryAtMs`: when it goes again; null where it may have arrived, so that the person decides. */
  | { ok: false; kind: 'busy'; retryAtMs: number | null }
  | { ok: false; kind: 'limited'; seconds: number }
  | { ok: false; kind: 'refused'; status: number; sentence: string }

const LIMITED_S_DEFAULT = 60

/** When to send it again without being asked, in epoch milliseconds; null for never. */
export const retryAtMs = (sent: Sent<unknown>): number | null =>
  !sent.ok && sent.kind === 'busy' ? sent.retryAtMs : null

/** Sends a body, JSON or a form, to a path below the API, once. */
export async function send<T>(path: string, body: object | FormData): Promise<Sent<T>> {
  let response: Response
  try {
    response = await fetch(`${apiBase()}${path}`, {
      method: 'POST',
      credentials: 'same-origin',
      ...(body instanceof FormData
        ? { body }
        : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    })
  } catch {
    // fetch says no more than that nothing came back.
    return { ok: false, kind: 'offline', waits: !navigator.onLine }
  }
  if (response.status === 429) {
    const seconds = Number(response.headers.get('retry-after'))
    return { ok: false, kind: 'limited', seconds: seconds > 0 ? seconds : LIMITED_S_DEFAULT }
  }
  if (response.status === 503) return { ok: false, kind: 'busy', retryAtMs: Date.now() + unavailableMs() }
  if (response.status >= 500) return { ok: false, kind: 'busy', retryAtMs: null }
  const answer: { data?: T; error?: string } = await response.json()
  if (response.ok && answer.data !== undefined) return { ok: true, data: answer.data }
  return { ok: false, kind: 'refused', status: response.status, sentence: answer.error ?? '' }
}
