import { fetchInTime } from './fetch-in-time.ts'

const AGAIN_MS = 3_000

/** True once the service answers, as a phone says too early that it is online; false once `signal` aborts. */
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
