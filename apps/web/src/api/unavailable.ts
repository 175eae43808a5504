/** While the service is down, all clients come back spread over this time (web face, section 1: 503). */
const RETRY_MS_MIN = 5_000
const RETRY_MS_MAX = 30_000

/** How long to wait after a 503, in milliseconds: another time for each client. */
export const unavailableMs = (): number => RETRY_MS_MIN + Math.random() * (RETRY_MS_MAX - RETRY_MS_MIN)
