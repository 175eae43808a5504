/** `__Host-`: a browser takes it over HTTPS alone, for this host alone, and from no subdomain. */
const NAME = '__Host-session'
const ATTRIBUTES = 'Path=/; Secure; HttpOnly; SameSite=Lax'

/** The session cookie of a request, made up or not; undefined without one. */
export function sessionTokenOf(headers: Headers): string | undefined {
  const cookies = headers.get('cookie')
  if (!cookies?.includes(NAME)) return undefined
  for (const cookie of cookies.split(';')) {
    const at = cookie.indexOf('=')
    if (cookie.slice(0, at).trim() !== NAME) continue
    return cookie.slice(at + 1).trim() || undefined
  }
  return undefined
}

/** Whether the request carries a session cookie at all, a worthless one too. */
export const hasSessionCookie = (headers: Headers): boolean =>
  headers.get('cookie')?.includes(`${NAME}=`) ?? false

/** `Set-Cookie` for a session that expires at `expiresAtMs`. */
export function cookieOf(
  token: string,
  { expiresAtMs, nowMs }: { expiresAtMs: number; nowMs: number },
): string {
  const maxAgeS = Math.max(0, Math.ceil((expiresAtMs - nowMs) / 1_000))
  return `${NAME}=${token}; ${ATTRIBUTES}; Max-Age=${maxAgeS}`
}

/** `Set-Cookie` that removes it. */
export const REMOVED_COOKIE = `${NAME}=; ${ATTRIBUTES}; Max-Age=0`
