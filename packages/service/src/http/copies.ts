export type CopyAddress = { origin: string; unix: string | undefined }

/** Codes of Bun's fetch for a connection that never opened: the copy has not seen the call (measured). */
const UNOPENED = new Set(['ENOENT', 'ECONNREFUSED', 'ENOTFOUND', 'EHOSTUNREACH', 'ENETUNREACH', 'EACCES'])
/** A connection that the copy let go of just then, for a restart. */
const RESET = 'ECONNRESET'

/** The copies in `TRACKING_URL` and its like: `http://host:port` or `unix:/path`, several by comma. */
export const copiesOf = (urls: string): CopyAddress[] =>
  urls
    .split(',')
    .map((url) => url.trim())
    .map((url) =>
      url.startsWith('unix:')
        ? { origin: 'http://service.internal', unix: url.slice('unix:'.length) }
        : { origin: new URL(url).origin, unix: undefined },
    )

/** Calls this very copy; `target` is a path with its query. Rejects as `fetch` does. */
export const callCopy = (
  { origin, unix }: CopyAddress,
  target: `/${string}`,
  init: RequestInit,
): Promise<Response> =>
  fetch(origin + target, { ...init, redirect: 'manual', ...(unix === undefined ? {} : { unix }) })

/** Calls the copies in turn, and the next where one is unreachable; a GET also where the connection broke. */
export function anyCopy(urls: string): (target: `/${string}`, init: RequestInit) => Promise<Response> {
  const copies = copiesOf(urls)
  let turn = 0
  return async (target, init) => {
    turn = (turn + 1) % copies.length
    const [first, ...others] = [...copies.slice(turn), ...copies.slice(0, turn)]
    if (!first) throw new RangeError('a service has at least one address')
    // The only one is called again after a reset: its old process closed the connection.
    const rest = others.length > 0 ? others : [first]
    let last: unknown
    for (const copy of [first, ...rest]) {
      try {
        return await callCopy(copy, target, init)
      } catch (error) {
        last = error
        if (!mayAskAgain(error, init.method ?? 'GET')) throw error
      }
    }
    throw last
  }
}

function mayAskAgain(error: unknown, method: string): boolean {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return UNOPENED.has(code) || (code === RESET && method === 'GET')
}
