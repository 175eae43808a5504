const AGAIN_MS = 3_000

/**
 * Resolves when the service answers anything (and not the service worker for it): true; or false once `signal` says that it is not wanted any more. A phone
 * says that it is online before that is so, and a form that is sent too early could arrive without its answer.
 */
export async function untilReachable(signal: AbortSignal): Promise<boolean> {
  while (!signal.aborted)
    try {
      await fetch('/health', { signal, cache: 'no-store', credentials: 'omit' })
      return true
    } catch {
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS)) // nothing came back: not online yet
    }
  return false
}
