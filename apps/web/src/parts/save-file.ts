import { apiBase, unavailableMs } from '../api/base.ts'
import { fetchInTime } from '../api/fetch-in-time.ts'
import type { Sent } from '../api/send.ts'
import { nowMs } from '../api/server-clock.ts'

const LIMITED_S_DEFAULT = 60
/** A browser has begun to save by then. */
const SAVED_MS = 60_000

/** Loads a file of the person who is signed in, never by an address that could be handed on. */
export async function loadFile(path: string): Promise<Sent<Blob>> {
  try {
    const response = await fetchInTime(`${apiBase()}${path}`, { credentials: 'same-origin' })
    if (response.ok) return { ok: true, data: await response.blob() }
    if (response.status === 429) {
      const seconds = Number(response.headers.get('retry-after'))
      return { ok: false, kind: 'limited', seconds: seconds > 0 ? seconds : LIMITED_S_DEFAULT }
    }
    if (response.status >= 500)
      return {
        ok: false,
        kind: 'busy',
        retryAtMs: response.status === 503 ? nowMs() + unavailableMs() : null,
      }
    return { ok: false, kind: 'refused', status: response.status, sentence: '' }
  } catch {
    return { ok: false, kind: 'offline', waits: !navigator.onLine }
  }
}

/** Saves a file under a name, as a download. */
export function saveFile(file: Blob, name: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(file)
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), SAVED_MS)
}
