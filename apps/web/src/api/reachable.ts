import { fetchInTime } from './fetch-in-time.ts'

const AGAIN_MS = 3_000

/**
 * True when the service itself answers anything, which the service worker does not do in its place here; false once
 * `signal` says that it is not wanted any more. A phone says that it is online before that is so, and a form that is sent
 * too early could arrive without its response.
 */
export async function untilReachable(signal: AbortSignal): Promise<boolean> {
  while (!signal.aborted)
    try {
      await fetchInTime('/health', { signal, cache: 'no-store', credentials: 'omit' })
      return true
    } catch {
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS)) // nothing came back: not online yet
    }
  return false
}
