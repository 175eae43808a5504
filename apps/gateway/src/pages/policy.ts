/** Where scripts and connections may lead inside LINE (web face, section 1: hosts in the code of @line/liff). */
const LIFF_SCRIPTS = ['https://static.line-scdn.net']
const LIFF_CONNECTIONS = [
  'https://api.line.me',
  'https://access.line.me',
  'https://liffsdk.line-scdn.net',
  'https://*.line-apps.com',
]

/** Trusted Types close the last way from a string to a script. */
const policyWith = (scripts: readonly string[], connections: readonly string[]): string =>
  [
    "default-src 'none'",
    ["script-src 'self'", ...scripts].join(' '),
    "worker-src 'self'",
    "style-src 'self'",
    "img-src 'self' data: blob:",
    ["connect-src 'self'", ...connections].join(' '),
    "manifest-src 'self'",
    "font-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    'trusted-types default',
  ].join('; ')

/** Web face, section 1. */
export const POLICY = policyWith([], [])
/**
 * The one exception: a document that is opened inside LINE.
 * @param sdk address of LINE's script
 */
export const liffPolicy = (sdk: string): string =>
  policyWith([...new Set([...LIFF_SCRIPTS, new URL(sdk).origin])], LIFF_CONNECTIONS)

/** Whether LINE opened the document, as its query says; never the console. */
export function mayLoadLiff({ url }: Request): boolean {
  if (!url.includes('?')) return false
  const { pathname, searchParams } = new URL(url)
  if (pathname === '/console' || pathname.startsWith('/console/')) return false
  return (
    searchParams.has('liff.state') || searchParams.has('liff.referrer') || searchParams.get('liff') === '1'
  )
}
