import Type from 'typebox'

/** What headers of answers say, for the document; `#/components/headers` of the whole. */
export const HEADERS = {
  'X-Request-Id': {
    description:
      'the id of the request: the one that it came with, if that is [A-Za-z0-9_-]{1,64}, else a new one',
    required: true,
    schema: Type.String({ pattern: '^[A-Za-z0-9_-]{1,64}$' }),
  },
  'Cache-Control': {
    description: 'no-store, but for what may be kept by others',
    required: true,
    schema: Type.String(),
  },
  'RateLimit-Limit': {
    description: 'calls that the tightest rule lets through in its window',
    schema: Type.Integer({ minimum: 0 }),
  },
  'RateLimit-Remaining': { description: 'calls that are left of them', schema: Type.Integer({ minimum: 0 }) },
  'RateLimit-Reset': {
    description: 'seconds until one more call is let through than now',
    schema: Type.Integer({ minimum: 0 }),
  },
  'Retry-After': { description: 'seconds after which to try again', schema: Type.Integer({ minimum: 0 }) },
  Allow: { description: 'the methods of the path', required: true, schema: Type.String() },
  ETag: {
    description: 'a strong tag of the bytes; give it as If-None-Match to get 304 while they are the same',
    required: true,
    schema: Type.String({ pattern: '^"[^"]+"$' }),
  },
  Location: { description: 'where to go on', required: true, schema: Type.String() },
  Vary: { description: 'what else the answer depends on', schema: Type.String() },
  'Content-Disposition': {
    description: 'the file name of a download',
    schema: Type.String({ pattern: '^attachment; filename="[^"]+"$' }),
  },
  'Set-Cookie': {
    description: 'the session: __Host-session, HttpOnly, Secure, SameSite=Lax; empty where it ended',
    schema: Type.String(),
  },
  'Content-Encoding': { description: 'br or gzip where the caller understands it', schema: Type.String() },
} as const
export type HeaderName = keyof typeof HEADERS

export const headersOf = (names: readonly HeaderName[]): Record<string, { $ref: string }> =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
