/** What a load consists of; the n-th request of each kind is always the same. */
export type Kind = 'checkin' | 'sync' | 'owntracks' | 'get'

export const SYNC_POINTS = 100
const FIX_EVERY_MS = 10_000
/** A fix of 10 s at a walking pace is some 14 m on. */
const STEP_DEGREES = 0.000_12

const HALF_DIGITS = 16
const half = (n: number, seed: bigint): string =>
  Bun.hash.wyhash(String(n), seed).toString(16).padStart(HALF_DIGITS, '0')

/**
 * Every request is of a walker of its own: no limit by user is met, and nothing is a duplicate. The ids look as LINE's
 * do, and are spread over all of an index as those are.
 */
export const walkerOf = (n: number): string => `U${half(n, 1n)}${half(n, 2n)}`

const place = (n: number) => ({ lat: 23.5 + (n % 10_007) / 10_007, lng: 120.3 + (n % 101) / 1_000 })

const BODY: Record<Exclude<Kind, 'get'>, (n: number, nowMs: number) => string> = {
  checkin: (n) => {
    const { lat, lng } = place(n)
    return `{"userId":"${walkerOf(n)}","lat":${lat.toFixed(6)},"lng":${lng.toFixed(6)},"accuracy":8}`
  },
  sync: (n, nowMs) => {
    const { lat, lng } = place(n)
    const points = Array.from({ length: SYNC_POINTS }, (_, i) => {
      const at = Math.round(nowMs - (SYNC_POINTS - i) * FIX_EVERY_MS)
      return `{"lat":${(lat + i * STEP_DEGREES).toFixed(6)},"lng":${lng.toFixed(6)},"recordedAt":${at},"accuracy":8,"speed":4.9}`
    })
    return `{"userId":"${walkerOf(n)}","source":"android","points":[${points.join(',')}]}`
  },
  owntracks: (n, nowMs) => {
    const { lat, lng } = place(n)
    return `{"_type":"location","tid":"${walkerOf(n).slice(-2)}","lat":${lat.toFixed(6)},"lon":${lng.toFixed(6)},"acc":8,"tst":${Math.floor(nowMs / 1000)},"t":"u"}`
  },
}

/** The n-th request as it goes over the wire. */
export function requestText(
  kind: Kind,
  { url, headers, n, nowMs }: { url: URL; headers: Record<string, string>; n: number; nowMs: number },
): string {
  const body = kind === 'get' ? '' : BODY[kind](n, nowMs)
  const own = kind === 'owntracks' ? { 'x-limit-u': walkerOf(n), 'x-limit-d': 'bench' } : {}
  const fields = Object.entries({
    host: url.host,
    ...(kind === 'get' ? {} : { 'content-type': 'application/json', 'content-length': `${body.length}` }),
    ...own,
    ...headers,
  })
  const head = fields.map(([name, value]) => `${name}: ${value}\r\n`).join('')
  return `${kind === 'get' ? 'GET' : 'POST'} ${url.pathname}${url.search} HTTP/1.1\r\n${head}\r\n${body}`
}
