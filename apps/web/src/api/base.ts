/** While the service is down, all clients come back spread over this time (web face, section 1: 503). */
const RETRY_MS_MIN = 5_000
const RETRY_MS_MAX = 30_000

/** How long to wait after a 503, in milliseconds: another time for each client. */
export const unavailableMs = (): number => RETRY_MS_MIN + Math.random() * (RETRY_MS_MAX - RETRY_MS_MIN)

/** No page writes an id into an address: those end up in logs and histories. */
export const OWN_PATH = '/user/@me'

/** Sent to a service worker, which has no page to read it from. */
let given: string | undefined
export const tellApiBase = (base: string): void => {
  given = base
}

/** Where the API is: `/api/<brand>`, as the gateway wrote it into the page. */
export function apiBase(): string {
  return given ?? document.querySelector<HTMLMetaElement>('meta[name="api-base"]')?.content ?? '/api/event'
}
