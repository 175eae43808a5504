import type { CorsHeaders } from '../response.ts'

const ALLOWED = {
  'access-control-allow-methods': 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS',
  'access-control-allow-headers':
    'Content-Type, X-Admin-Token, X-Feedback-Token, X-Request-Id, Authorization, If-None-Match, Last-Event-ID',
  'access-control-max-age': '86400',
}
const EXPOSED =
  'X-Request-Id, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, Retry-After, ETag, Content-Disposition'

export type Cors = {
  /** For every response. */
  headers: (request: Headers) => CorsHeaders
  /** For the 204 of a preflight, besides those. */
  preflight: Readonly<Record<string, string>>
}

/**
 * Cross-origin reads: `*` allows every page, without credentials; a list allows exactly those origins, and never the
 * origin `null` (a sandboxed frame, a file).
 */
export function cors(origins: readonly string[]): Cors {
  if (origins.includes('*')) {
    const open = { 'access-control-allow-origin': '*' }
    const browser = { ...open, 'access-control-expose-headers': EXPOSED }
    // Apps send no Origin and need no list of names, a fifth of a check-in's response.
    return { headers: (request) => (request.has('origin') ? browser : open), preflight: ALLOWED }
  }
  const closed = { vary: 'Origin' }
  const allowed = new Map(
    origins.map((origin) => [
      origin,
      { ...closed, 'access-control-allow-origin': origin, 'access-control-expose-headers': EXPOSED },
    ]),
  )
  return { headers: (request) => allowed.get(request.get('origin') ?? '') ?? closed, preflight: ALLOWED }
}
