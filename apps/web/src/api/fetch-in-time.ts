import { noteDate } from './server-clock.ts'

const WAIT_MS_MAX = 30_000
/** A file of 50 MB on a slow network. */
const UPLOAD_WAIT_MS_MAX = 900_000

/** As `fetch`, with an end to every wait, also for the body; it reads the server's clock. */
export async function fetchInTime(path: string, { signal, ...init }: RequestInit = {}): Promise<Response> {
  const controller = new AbortController()
  const stop = () => controller.abort()
  setTimeout(stop, init.body instanceof FormData ? UPLOAD_WAIT_MS_MAX : WAIT_MS_MAX)
  signal?.addEventListener('abort', stop)
  const response = await fetch(path, { ...init, signal: controller.signal })
  // An asset may have been kept for a year.
  if (!path.startsWith('/assets/')) noteDate(response)
  return response
}
