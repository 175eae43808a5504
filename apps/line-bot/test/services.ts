import { crc32, deflateSync } from 'node:zlib'
import type { Beacon } from '@palanquin/domain/beacon'
import { INTERNAL_TOKEN_HEADER, USER_HEADER } from '@palanquin/service/http/headers'

export type ServiceCall = {
  method: string
  path: string
  query: Record<string, string>
  /** Whom the bot vouched for. */
  asUser: string | null
  body: unknown
}
/** Of every card: it does not say whose. */
const SHARE_ID = 'share-id-of-a-card'
/** Of every set-up link. */
export const SETUP_CODE = '4f7Tq0bWc9KzR2mXv8LhDs'
type Reply = { status: number; body: unknown }

const PROFILE = {
  displayName: '林媽媽',
  pictureUrl: null,
  language: 'zh-TW',
  status: 'active',
  privacyConsent: true,
  surveyCompleted: 0,
  hasPhone: false,
  phone: null,
  distanceKm: 20.5,
  walkedKm: 20,
  motorizedKm: 0.5,
  checkins: 7,
  photos: 2,
  level: {
    level: 2,
    nameZh: '築基香客',
    nameEn: 'Foundation Pilgrim',
    icon: '🧱',
    next: { level: 3, kmToGo: 24.5, checkinsToGo: 3 },
  },
  carbon: {
    travelKg: 0,
    trackedKg: 0.06,
    waterKg: 0,
    recycleKg: 0,
    hotelKg: 0,
    totalKg: 0.06,
    avoidedKg: 6.02,
  },
  achievement: { unlocked: false, missing: ['survey', 'phone'] },
  lastSeenAt: null,
}

/** A picture of the right size for LINE, of nothing. */
function menuPicture(): Uint8Array<ArrayBuffer> {
  const chunk = (name: string, data: Uint8Array): Buffer => {
    const body = Buffer.concat([Buffer.from(name), data])
    const frame = Buffer.alloc(body.length + 8)
    frame.writeUInt32BE(data.length)
    body.copy(frame, 4)
    frame.writeUInt32BE(crc32(body), body.length + 4)
    return frame
  }
  const header = Buffer.alloc(13)
  header.writeUInt32BE(MENU_WIDTH)
  header.writeUInt32BE(MENU_HEIGHT, 4)
  header.set([1, 0, 0, 0, 0], 8)
  const rows = Buffer.alloc((Math.ceil(MENU_WIDTH / 8) + 1) * MENU_HEIGHT)
  const signature = Buffer.from('89504e470d0a1a0a', 'hex')
  return new Uint8Array(
    Buffer.concat([
      signature,
      chunk('IHDR', header),
      chunk('IDAT', deflateSync(rows)),
      chunk('IEND', new Uint8Array()),
    ]),
  )
}
const MENU_WIDTH = 2500
const MENU_HEIGHT = 1686

/** Engagement, tracking, the map and media as far as the bot calls them, each over HTTP. Calls are kept. */
export function startServiceClients(internalToken: string) {
  const calls: ServiceCall[] = []
  const away = new Set<string>()
  const said = new Map<string, (call: ServiceCall) => Reply>()
  const profiles = new Map<string, object>()
  let beacons: readonly Beacon[] = []
  const usual = ({ method, path, body, query }: ServiceCall): Reply => {
    const userId = path.replace('/user/', '')
    if (path === '/user/sync') return { status: 200, body: { ok: true, data: body } }
    if (path.startsWith('/user/') && method === 'DELETE')
      return { status: 200, body: { ok: true, data: { userId, erased: {} } } }
    if (path.startsWith('/user/')) {
      const data = profiles.get(userId)
      return data ? { status: 200, body: { ok: true, data } } : { status: 404, body: { error: 'unknown' } }
    }
    if (path === '/internal/checkin')
      return { status: 202, body: { ok: true, data: { id: '1', receivedAt: '' } } }
    if (path === '/beacons') return { status: 200, body: { ok: true, data: beacons } }
    if (path === '/setup-links')
      return { status: 201, body: { ok: true, data: { code: SETUP_CODE, url: '', expiresAt: '' } } }
    if (path === '/internal/card-shares')
      return { status: 200, body: { ok: true, data: { shareId: SHARE_ID } } }
    if (path === '/internal/photos')
      return { status: 200, body: { ok: true, data: { userId: query.userId, count: 3, added: true } } }
    return { status: 404, body: { error: 'no such path' } }
  }
  const serve = (name: string) =>
    Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      fetch: async (request) => {
        if (request.headers.get(INTERNAL_TOKEN_HEADER) !== internalToken)
          return new Response(null, { status: 401 })
        const url = new URL(request.url)
        const isJson = request.headers.get('content-type') === 'application/json'
        const call: ServiceCall = {
          method: request.method,
          path: url.pathname,
          query: Object.fromEntries(url.searchParams),
          asUser: request.headers.get(USER_HEADER),
          body: isJson ? await request.json() : new Uint8Array(await request.arrayBuffer()),
        }
        calls.push(call)
        if (away.has(name)) return Response.json({ error: 'away' }, { status: 503 })
        if (call.path.startsWith('/internal/rich-menu/'))
          return new Response(menuPicture(), { headers: { 'content-type': 'image/png' } })
        const { status, body } = (said.get(call.path) ?? usual)(call)
        return Response.json(body, { status })
      },
    })
  const servers = {
    engagement: serve('engagement'),
    tracking: serve('tracking'),
    map: serve('map'),
    media: serve('media'),
  }
  return {
    environment: {
      ENGAGEMENT_URL: `http://127.0.0.1:${servers.engagement.port}`,
      TRACKING_URL: `http://127.0.0.1:${servers.tracking.port}`,
      MAP_URL: `http://127.0.0.1:${servers.map.port}`,
      MEDIA_URL: `http://127.0.0.1:${servers.media.port}`,
    },
    calls,
    callsOf: (path: string) => calls.filter((call) => call.path === path),
    away,
    replyWith: (path: string, reply: (call: ServiceCall) => Reply) => said.set(path, reply),
    /** Adds a participant with figures. */
    know: (userId: string, facts: object = {}) => profiles.set(userId, { ...PROFILE, userId, ...facts }),
    /** What the map shows. */
    showBeacons: (shown: readonly Beacon[]) => {
      beacons = shown
    },
    reset: () => {
      beacons = []
      calls.length = 0
      away.clear()
      said.clear()
    },
    close: async () => {
      await Promise.all(Object.values(servers).map((server) => server.stop(true)))
    },
  }
}
