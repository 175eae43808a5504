import { isRecord } from '@palanquin/domain/is-record'
import { apiBase, unavailableMs } from './base.ts'
import { fetchInTime } from './fetch-in-time.ts'
import { nowMs } from './server-clock.ts'
import { reportRefused } from './session-refused.ts'

/** What became of a write, as a value: every outcome has a sentence for the person. */
export type Sent<T> =
  | { ok: true; data: T }
  /** `waits`: the phone knew that it has no network, so nothing has arrived. */
  | { ok: false; kind: 'offline'; waits: boolean }
  /** `retryAtMs`: when it goes again; null where it may have arrived, so that the person decides. */
  | { ok: false; kind: 'busy'; retryAtMs: number | null }
  | { ok: false; kind: 'limited'; seconds: number }
  | { ok: false; kind: 'refused'; status: number; sentence: string }

const LIMITED_S_DEFAULT = 60

/** When to send it again without being asked, in epoch milliseconds; null for never. */
export const retryAtMs = (sent: Sent<unknown>): number | null =>
  !sent.ok && sent.kind === 'busy' ? sent.retryAtMs : null

/** What came back: a body that is no JSON is null. */
type Reply = { status: number; retryAfterS: number | null; body: unknown }
type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE'

/** Calls the API as the person who is signed in; null when nothing came back. Uploads stand beside the API. */
export async function request(
  method: Method,
  path: string,
  body?: object | FormData,
  headers: Record<string, string> = {},
): Promise<Reply | null> {
  try {
    const response = await fetchInTime(path.startsWith('/upload/') ? path : `${apiBase()}${path}`, {
      method,
      credentials: 'same-origin',
      ...(body === undefined
        ? { headers }
        : body instanceof FormData
          ? { body, headers }
          : { body: JSON.stringify(body), headers: { ...headers, 'content-type': 'application/json' } }),
    })
    reportRefused(response.status, path)
    const seconds = Number(response.headers.get('retry-after'))
    return {
      status: response.status,
      retryAfterS: seconds > 0 ? seconds : null,
      body: parsed(await response.text()),
    }
  } catch {
    return null
  }
}

/** Sends a body, JSON or a form, to a path below the API, once. */
export async function send<T>(
  path: string,
  body?: object | FormData,
  method: 'POST' | 'PATCH' | 'DELETE' = 'POST',
  headers: Record<string, string> = {},
): Promise<Sent<T>> {
  const reply = await request(method, path, body, headers)
  if (reply === null) return { ok: false, kind: 'offline', waits: !navigator.onLine }
  const { status, retryAfterS, body: answer } = reply
  if (status === 429) return { ok: false, kind: 'limited', seconds: retryAfterS ?? LIMITED_S_DEFAULT }
  if (status === 503) return { ok: false, kind: 'busy', retryAtMs: nowMs() + unavailableMs() }
  if (status >= 500 || !isRecord(answer)) return { ok: false, kind: 'busy', retryAtMs: null }
  // The shape is the API's; the types of the pages follow its document.
  if (status < 300 && answer.data !== undefined) return { ok: true, data: answer.data as T }
  return { ok: false, kind: 'refused', status, sentence: String(answer.error ?? '') }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
