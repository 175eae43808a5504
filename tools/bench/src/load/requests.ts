/** The content of a load; the n-th request of each kind is always the same. */
export type Kind = 'checkin' | 'sync' | 'owntracks' | 'profile' | 'get'

/** Phones with a write token each. */
export type Devices = { tokens: readonly string[]; firstS: number }

export type RequestPlan = {
  url: URL
  kind: Kind
  /** Points per sync. */
  points?: number
  devices?: Devices
  headers?: Record<string, string>
}

const SYNC_POINTS = 100
const FIX_EVERY_MS = 10_000
/** A fix every 10 s at walking pace is some 14 m on. */
const STEP_DEGREES = 0.000_12

const MASK = 64
const SEEDS = [0x9e37_79b9_7f4a_7c15n, 0xd1b5_4a32_d192_ed03n] as const
const HALF_DIGITS = 16

/** splitmix64 of n: distinct for distinct n, and the same as in `wrk.lua`. */
function half(n: number, seed: bigint): string {
  let z = BigInt.asUintN(MASK, (BigInt(n) + 1n) * seed)
  z = BigInt.asUintN(MASK, (z ^ (z >> 30n)) * 0xbf58_476d_1ce4_e5b9n)
  z = BigInt.asUintN(MASK, (z ^ (z >> 27n)) * 0x94d0_49bb_1331_11ebn)
  return (z ^ (z >> 31n)).toString(16).padStart(HALF_DIGITS, '0')
}

/**
 * Every request is of another participant, so that no limit per user is reached and nothing is a duplicate.
 * The ids look like LINE's, and spread over an index like them.
 */
export const userIdOf = (n: number): string => `U${half(n, SEEDS[0])}${half(n, SEEDS[1])}`

const place = (n: number) => ({ lat: 23.5 + (n % 10_007) / 10_007, lng: 120.3 + (n % 101) / 1_000 })

const isRead = (kind: Kind): kind is 'get' | 'profile' => kind === 'get' || kind === 'profile'

function bodyOf(
  { kind, points = SYNC_POINTS }: RequestPlan,
  { n, userId, nowMs }: { n: number; userId: string; nowMs: number },
): string {
  if (isRead(kind)) return ''
  const { lat, lng } = place(n)
  if (kind === 'checkin')
    return `{"userId":"${userId}","lat":${lat.toFixed(6)},"lng":${lng.toFixed(6)},"accuracy":8}`
  if (kind === 'owntracks')
    return `{"_type":"location","tid":"${n % 100}","lat":${lat.toFixed(6)},"lon":${lng.toFixed(6)},"acc":8,"tst":${Math.floor(nowMs / 1000)},"t":"u"}`
  const fixes = Array.from({ length: points }, (_, i) => {
    const at = Math.round(nowMs - (points - i) * FIX_EVERY_MS)
    return `{"lat":${(lat + i * STEP_DEGREES).toFixed(6)},"lng":${lng.toFixed(6)},"recordedAt":${at},"accuracy":8,"speed":4.9}`
  })
  return `{"userId":"${userId}","source":"android","points":[${fixes.join(',')}]}`
}

/** When the n-th request of all devices was recorded, in seconds. */
const fixS = ({ tokens, firstS }: Devices, n: number): number => firstS + Math.floor(n / tokens.length)

/** What OwnTracks sends of a person who walks, with its password as the write token. */
function fixBody(devices: Devices, n: number): string {
  const { lat, lng } = place(n % devices.tokens.length)
  return `{"_type":"location","acc":8,"alt":21,"batt":63,"bs":1,"cog":190,"conn":"m","lat":${lat.toFixed(6)},"lon":${lng.toFixed(6)},"t":"t","tid":"ab","tst":${fixS(devices, n)},"vac":3,"vel":5}`
}
const loginOf = ({ tokens }: Devices, n: number): string =>
  `Basic ${btoa(`phone:${tokens[n % tokens.length]}`)}`

/** The n-th request as bytes, of `userId`. */
export function requestText(
  plan: RequestPlan,
  { n, nowMs, userId = userIdOf(n) }: { n: number; nowMs: number; userId?: string },
): string {
  const { kind, url, headers, devices } = plan
  const body = devices ? fixBody(devices, n) : bodyOf(plan, { n, userId, nowMs })
  const fields = Object.entries({
    host: url.host,
    ...(isRead(kind) ? {} : { 'content-type': 'application/json', 'content-length': `${body.length}` }),
    ...(devices ? { authorization: loginOf(devices, n) } : {}),
    ...(kind === 'owntracks' && !devices ? { 'x-limit-u': userId, 'x-limit-d': 'bench' } : {}),
    ...headers,
  })
  const head = fields.map(([name, value]) => `${name}: ${value}\r\n`).join('')
  const path = `${url.pathname}${kind === 'profile' ? userId : ''}${url.search}`
  return `${isRead(kind) ? 'GET' : 'POST'} ${path} HTTP/1.1\r\n${head}\r\n${body}`
}

/** Of a sync of so many points, in bytes. */
export function syncBytes(points: number): number {
  const text = requestText(
    { url: new URL('https://localhost/'), kind: 'sync', points },
    { n: 0, nowMs: Date.now() },
  )
  return text.length - text.indexOf('\r\n\r\n') - '\r\n\r\n'.length
}
