/** Whether a request comes from a page of ours: its `Origin`, which no page can set or leave out in a write. */
export type IsOwnOrigin = (headers: Headers) => boolean

/**
 * Ours are the address that the request names as its host (checked before against `PUBLIC_HOSTS`), `PUBLIC_BASE_URL`, and
 * the public hosts at the port of HTTPS, for a proxy that renames the host. Another port of a host is another site's page,
 * to which browsers send the same cookies.
 */
export function ownOriginCheck({
  publicHosts,
  baseUrl,
}: {
  publicHosts: readonly string[]
  baseUrl: string | undefined
}): IsOwnOrigin {
  const known = new Set(publicHosts.map((host) => `https://${host}`))
  const base = URL.parse(baseUrl ?? '')?.origin
  if (base !== undefined) known.add(base)
  return (headers) => {
    const origin = headers.get('origin')
    if (origin === null) return false
    return known.has(origin) || origin === originOfHost(headers.get('host'))
  }
}

/** `localhost:443` is `https://localhost` to a browser. */
const originOfHost = (host: string | null): string | undefined =>
  host === null ? undefined : URL.parse(`https://${host}`)?.origin
