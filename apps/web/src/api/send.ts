import { apiBase } from './base.ts'

/** What became of a write, as a value: every outcome has a sentence for the person. */
export type Sent<T> =
  | { ok: true; data: T }
  | { ok: false; kind: 'offline' }
  | { ok: false; kind: 'busy' }
  | { ok: false; kind: 'limited'; seconds: number }
  | { ok: false; kind: 'refused'; status: number; sentence: string }

const LIMITED_S_DEFAULT = 60

/** Sends a body, JSON or a form, to a path below the API. Nothing is sent twice: the person presses again. */
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
    return { ok: false, kind: 'offline' } // fetch says no more than that nothing came back
  }
  if (response.status === 429) {
    const seconds = Number(response.headers.get('retry-after'))
    return { ok: false, kind: 'limited', seconds: seconds > 0 ? seconds : LIMITED_S_DEFAULT }
  }
  if (response.status >= 500) return { ok: false, kind: 'busy' }
  const answer: { data?: T; error?: string } = await response.json()
  if (response.ok && answer.data !== undefined) return { ok: true, data: answer.data }
  return { ok: false, kind: 'refused', status: response.status, sentence: answer.error ?? '' }
}
