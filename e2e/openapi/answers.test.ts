import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { signatureOf } from '@palanquin/line-simulator/webhook-sender'
import { PIXEL, PIXEL_URL } from '@palanquin/stack/testing/pixel'
import { whilePostgresIsSuspended } from '@palanquin/stack/testing/suspend'
import { startThrowawayStack, type ThrowawayStack } from '@palanquin/stack/testing/throwaway-stack'
import { until } from '@palanquin/testing/until'
import { type Arrived, complaint } from './complaint.ts'
import { type Described, isObject, operationsOf } from './openapi.ts'

/** Rate limits are on: their headers are part of the responses. */
const STAFF = { owner: tokenPair(), manager: tokenPair() }
let stack: ThrowawayStack
let operations: Described[]
beforeAll(async () => {
  stack = await startThrowawayStack({
    LINE: 'stub',
    EVENT_ADMIN_TOKEN: STAFF.owner.tokens.join(','),
    EVENT_MANAGER_TOKEN: STAFF.manager.tokens.join(','),
  })
  const { bytes } = await send('GET', '/openapi.json')
  operations = operationsOf(JSON.parse(new TextDecoder().decode(bytes)))
})
afterAll(() => stack.close())

/** Two tokens of one role, in turn. */
function tokenPair() {
  const tokens = [crypto.randomUUID(), crypto.randomUUID()] as const
  let calls = 0
  return { tokens, next: () => tokens[calls++ % 2 ? 1 : 0] }
}

type How = {
  body?: unknown
  as?: 'owner' | 'manager' | 'volunteer'
  headers?: Record<string, string>
  /** How much of an endless response is read. */
  until?: string
  /** Takes the first answer, also one that asks to come again. */
  once?: boolean
}
/** A busy machine may ask to come again some times. */
const COME_AGAIN_MAX = 8

async function send(
  method: string,
  path: string,
  { body, as, headers = {}, until }: How = {},
): Promise<Arrived> {
  const { url, caFile, tokens } = stack.running()
  const leaving = new AbortController()
  const isText = typeof body === 'string' || body instanceof FormData
  const answer = await fetch(url + path, {
    method,
    headers: {
      ...(body === undefined || body instanceof FormData ? {} : { 'content-type': 'application/json' }),
      ...(as ? { 'x-admin-token': as === 'volunteer' ? tokens.volunteer : STAFF[as].next() } : {}),
      ...headers,
    },
    ...(body === undefined ? {} : { body: isText ? body : JSON.stringify(body) }),
    tls: { ca: readFileSync(caFile, 'utf8') },
    signal: leaving.signal,
  })
  const bytes = until === undefined ? await answer.bytes() : await untilText(answer, until)
  leaving.abort()
  return { status: answer.status, headers: answer.headers, bytes }
}

async function untilText(answer: Response, wanted: string): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  for await (const chunk of answer.body ?? []) {
    chunks.push(chunk)
    if (new TextDecoder().decode(Buffer.concat(chunks)).includes(wanted)) break
  }
  return Buffer.concat(chunks)
}

/** Paths outside of the prefix. */
const AT_ROOT = /^\/(?:health|ready|openapi\.json|docs|upload\/\w+|c\/\{shareId\}\.png)$/
const problems: string[] = []
const seen = new Set<string>()

/** Calls an operation of the document by its path, again while it asks for that. */
async function call(name: string, how: HowCalled = {}) {
  for (let again = 0; ; again++) {
    const answer = await callOnce(name, how)
    const waitS = waitOf(answer)
    if (how.once || waitS === undefined || again >= COME_AGAIN_MAX) return answer
    await Bun.sleep(waitS * 1_000)
  }
}

/** A service that was late asks to come again as well, without a time. */
function waitOf({ status, headers }: Arrived): number | undefined {
  if (status === 504) return 1
  const waitS = Number(headers.get('retry-after'))
  return status === 503 && waitS > 0 ? waitS : undefined
}

type HowCalled = How & { params?: Record<string, string>; query?: string }
async function callOnce(name: string, how: HowCalled) {
  const [method = '', template = ''] = name.split(' ')
  const isOwn = AT_ROOT.test(template)
  const documented = isOwn || template.startsWith('/in/') ? template : `/api/event${template}`
  const found = operations.find(
    ({ path, method: other }) => path === documented && other === method.toLowerCase(),
  )
  if (!found) throw new Error(`${name} is not in the document`)
  const path = documented.replace(/\{(\w+)\}/g, (_, key: string) => how.params?.[key] ?? 'missing')
  const answer = await send(method, path + (how.query ?? ''), how)
  const type = (answer.headers.get('content-type') ?? '').split(';')[0]
  seen.add(`${name} ${answer.status}`).add(`${name} ${answer.status} ${type}`)
  const wrong = complaint(found.operation, answer)
  if (wrong) problems.push(`${name}${how.query ?? ''} → ${wrong}`)
  return answer
}

/** The `data` of a success. */
async function dataOf(answer: Promise<Arrived>): Promise<Record<string, unknown>> {
  const { status, bytes } = await answer
  const text = new TextDecoder().decode(bytes)
  const body: unknown = JSON.parse(text)
  if (!isObject(body) || !isObject(body.data)) throw new Error(`${status}: ${text}`)
  return body.data
}

const userId = 'U-lin'
const PLACE = { lat: 24.3457, lng: 120.6238 }
const ANSWERS = {
  q1: ['helped-walkers', 'own words'],
  q2: 'hospitality',
  q3: { hsr: 330, bus: 12.5 },
  q4: ['own-cup'],
  q5: 2,
  q6: 'vegetarian',
  q7: '3',
  q8: 4,
  q9: 0,
  q10: '明年再來',
}

test('participants: requests and responses match the document', async () => {
  await call('POST /user/sync', { body: { user_id: userId, display_name: '林媽媽', language: 'zh-TW' } })
  await call('POST /checkin', { body: { line_user_id: userId, ...PLACE, accuracy: 8, note: '平安' } })
  await call('POST /checkin', { body: { userId, lat: 'north' } })
  const now = Date.now()
  const points = Array.from({ length: 40 }, (_, minute) => ({
    lat: PLACE.lat + minute * 0.0006,
    lng: PLACE.lng,
    timestamp: now - 3_600_000 + minute * 60_000,
    accuracy: minute % 3 === 0 ? -1 : 9,
    speed: 4.2,
  }))
  await call('POST /track/sync', { body: { userId, source: 'ios', points: [...points, { lat: 91 }] } })
  await call('POST /track/sync', { body: { userId, points: [] } })
  await call('POST /user/phone', { body: { userId, phone: '0912-345-678' } })
  await call('POST /user/phone', { body: { userId, phone: 'none' } })
  await call('POST /privacy', { body: { userId, consent: true, version: '1' } })
  await call('POST /submit', { body: { userId, answers: ANSWERS } })
  await call('POST /survey', { body: { userId, answers: ANSWERS } })
  for (let i = 0; i < 2; i++) await call('POST /submit', { body: { userId, answers: ANSWERS } })
  await call('GET /survey')
  await call('POST /participant-status', { body: { userId, status: 'completed' } })
  await call('POST /participant-status', { body: { userId, status: 'withdrawn' } })
  await call('GET /user/{userId}', { params: { userId } })
  await call('GET /user/{userId}', { params: { userId: 'unknown' } })
  await call('GET /photos/count', { query: `?userId=${userId}` })
  await call('GET /photos/count')
  await call('GET /activity')
  expect(problems.splice(0)).toEqual([])
})

test('a participant’s own data', async () => {
  const signedIn = await call('POST /session', { body: { device: true } })
  const { data } = JSON.parse(new TextDecoder().decode(signedIn.bytes))
  const cookie = signedIn.headers.get('set-cookie')?.split(';')[0] ?? ''
  const own = { params: { userId: String(data.userId) }, headers: { cookie, origin: stack.running().url } }
  await call('POST /checkin', { body: { userId: data.userId, ...PLACE, note: '平安' } })
  await call('POST /submit', { body: { userId: data.userId, answers: ANSWERS } })
  await call('POST /feedback', { body: { userId: data.userId, category: 'praise', message: '謝謝' } })
  for (const query of ['', '?format=gpx', '?format=kml'])
    await call('GET /user/{userId}/track', { ...own, query })
  await call('GET /user/{userId}/export', own)
  for (const path of ['track', 'export']) {
    await call(`GET /user/{userId}/${path}`, { params: own.params })
    await call(`GET /user/{userId}/${path}`, { ...own, params: { userId } })
  }
  const form = new FormData()
  form.append('photo', new Blob([new Uint8Array(PIXEL)]), 'a.png')
  form.append('point', JSON.stringify(PLACE))
  const { id } = await dataOf(call('POST /upload/photos', { headers: own.headers, body: form }))
  await call('POST /upload/photos', { headers: own.headers, body: new FormData() })
  await call('POST /upload/photos', { body: form })
  const photo = { ...own, params: { id: String(id) } }
  await call('GET /photos', own)
  await call('GET /photos', { ...own, query: '?limit=0' })
  for (const name of ['GET /photos/{id}', 'DELETE /photos/{id}', 'DELETE /photos/{id}'])
    await call(name, photo)
  await call('GET /photos')
  const recording = new FormData()
  recording.append('file', new Blob(['<gpx><wpt lat="24" lon="120"/></gpx>']), 'a.gpx')
  const { importId } = await dataOf(call('POST /upload/import', { headers: own.headers, body: recording }))
  await call('POST /upload/import', { headers: own.headers, body: new FormData() })
  await call('POST /upload/import', { body: recording })
  await call('GET /import/{id}', { ...own, params: { id: String(importId) } })
  await call('GET /import/{id}', { ...own, params: { id: String(id) } })
  await call('GET /import/{id}', { params: { id: String(importId) } })
  await call('POST /share', { headers: own.headers, body: { hours: 0 } })
  await call('POST /share', { body: { hours: 1 } })
  const { token } = await dataOf(call('POST /share', { headers: own.headers, body: { hours: 24 } }))
  const link = { params: { token: String(token) } }
  await call('GET /share', own)
  await call('GET /share/{token}', link)
  await call('DELETE /share', own)
  await call('GET /share', own)
  await call('GET /share/{token}', link)
  await call('GET /share/{token}', { params: { token: 'unknown' } })
  const { shareUrl } = await dataOf(call('POST /og-image', { body: { userId: data.userId } }))
  const params = { shareId: String(shareUrl).split('/').at(-1) ?? '' }
  const card = await call('GET /c/{shareId}.png', { params })
  const headers = { 'if-none-match': card.headers.get('etag') ?? '' }
  await call('GET /c/{shareId}.png', { params, headers })
  await call('GET /c/{shareId}.png', { params: { shareId: 'unknown' } })
  expect(problems.splice(0)).toEqual([])
})

test('the map: every format, complete and from a cursor, as a response and as a stream', async () => {
  const { cursor } = await until(
    async () => {
      const data = await dataOf(call('GET /data'))
      return Array.isArray(data.points) && data.points.length > 0 && data
    },
    { what: 'a participant on the map' },
  )
  for (const format of ['json', 'columns', 'geojson']) {
    await call('GET /data', { query: `?format=${format}` })
    await call('GET /data', { query: `?format=${format}`, as: 'manager' })
    await call('GET /data', { query: `?format=${format}&since=${cursor}` })
    await call('GET /data', { query: `?format=${format}&bbox=120,24,121,25&limit=5` })
    await call('GET /data/stream', { query: `?format=${format}`, until: '\n\n' })
  }
  // A participant leaves every open map.
  const leaving = { userId: 'U-chen' }
  await call('POST /checkin', { body: { ...leaving, ...PLACE } })
  await call('POST /privacy', { body: { ...leaving, consent: true } })
  await until(async () => (await dataOf(call('GET /data'))).total === 2, { what: 'two on the map' })
  const before = (await dataOf(call('GET /data'))).cursor
  await call('POST /privacy', { body: { ...leaving, consent: false } })
  await until(async () => (await dataOf(call('GET /data'))).total === 1, { what: 'one on the map' })
  for (const format of ['json', 'columns', 'geojson'])
    await call('GET /data', { query: `?format=${format}&since=${before}` })
  await call('GET /data', { query: '?since=nonsense' })
  await call('GET /data', { headers: { 'x-admin-token': 'a wrong token' } })
  expect(problems.splice(0)).toEqual([])
})

test('cards, feedback and images', async () => {
  await call('POST /og-image', { body: { user_id: userId } })
  await call('POST /og-image', { body: { userId: 'unknown' } })
  const card = await call('GET /og/{userId}.png', { params: { userId } })
  await call('GET /og/{userId}.png', {
    params: { userId },
    headers: { 'if-none-match': card.headers.get('etag') ?? '' },
  })
  await call('GET /og/{userId}.png', { params: { userId: 'unknown' } })
  const { filename } = await dataOf(call('POST /feedback-upload', { body: { image: PIXEL_URL } }))
  const form = new FormData()
  form.set('file', new Blob([Buffer.from(PIXEL_URL.split(',')[1] ?? '', 'base64')]), 'a.png')
  await call('POST /feedback-upload', { body: form })
  await call('POST /feedback-upload', { body: { image: 'data:image/png;base64,AAAA' } })
  const picture = { params: { filename: String(filename) } }
  const shown = await call('GET /feedback-image/{filename}.png', picture)
  const tag = shown.headers.get('etag') ?? ''
  await call('GET /feedback-image/{filename}.png', { ...picture, headers: { 'if-none-match': tag } })
  const sent = await dataOf(
    call('POST /feedback', { body: { userId, category: 'bug', message: '地圖不動', screenshot: filename } }),
  )
  const params = { id: String(sent.id) }
  const author = { 'x-feedback-token': String(sent.editToken) }
  await call('PATCH /feedback/{id}', { params, headers: author, body: { message: '地圖又動了' } })
  await call('PATCH /feedback/{id}', { params, as: 'manager', body: { status: 'in_progress', reply: '好' } })
  await call('PATCH /feedback/{id}', { params, as: 'manager', body: { status: 'in_progress' } })
  await call('PATCH /feedback/{id}', { params, body: { message: 'unknown' } })
  await call('GET /feedback')
  await call('GET /feedback', { as: 'manager', query: '?status=in_progress&category=bug&limit=1' })
  await call('GET /feedback/status')
  await call('GET /feedback/status', { query: `?id=${sent.id}` })
  await call('GET /feedback/status', { query: `?id=${crypto.randomUUID()}` })
  expect(problems.splice(0)).toEqual([])
})

test('lost and found', async () => {
  const about = { kind: 'found', about: '一位老先生', place: PLACE }
  const sent = await dataOf(call('POST /lost', { body: { ...about, phone: '0912-345-678' } }))
  await call('POST /lost', { body: { ...about, phone: '1' } })
  const params = { id: String(sent.id) }
  const reporter = { 'x-feedback-token': String(sent.editToken) }
  await call('GET /lost/{id}', { params, headers: reporter })
  await call('GET /lost/{id}', { params })
  await call('GET /lost/{id}', { params: { id: crypto.randomUUID() }, headers: reporter })
  await call('PATCH /lost/{id}', { params, headers: reporter, body: { status: 'closed' } })
  await call('PATCH /lost/{id}', { params, headers: reporter, body: { status: 'open' } })
  await call('GET /admin/lost', { as: 'volunteer', query: '?status=closed&kind=found&limit=1' })
  await call('GET /admin/lost', { as: 'volunteer', query: '?status=gone' })
  await call('POST /admin/lost', { as: 'volunteer', body: about })
  const entered = await dataOf(call('POST /admin/lost', { as: 'manager', body: { ...about, userId } }))
  const own = { params: { id: String(entered.id) } }
  const taken = { status: 'taken', reply: '好', place: null }
  await call('PATCH /admin/lost/{id}', { ...own, as: 'manager', body: taken })
  await call('GET /admin/find', { as: 'volunteer', query: `?q=${userId}&reason=test` })
  await call('GET /admin/find', { as: 'volunteer', query: `?q=${userId}` })
  await call('DELETE /admin/lost/{id}', { ...own, as: 'manager' })
  expect(problems.splice(0)).toEqual([])
})

test('devices, and what their apps send', async () => {
  const signedIn = await call('POST /session', { body: { device: true } })
  const owner = String((await dataOf(Promise.resolve(signedIn))).userId)
  const [cookie = ''] = (signedIn.headers.get('set-cookie') ?? '').split(';')
  const own = { headers: { cookie, origin: stack.running().url } }
  const issued = await dataOf(
    call('POST /devices', { ...own, body: { userId: owner, app: 'overland', name: '媽媽' } }),
  )
  await call('POST /devices', { ...own, body: { userId: owner, app: 'unknown' } })
  await call('POST /devices', { body: { userId: owner, app: 'overland' } })
  const token = String(issued.token)
  const geometry = { type: 'Point', coordinates: [PLACE.lng, PLACE.lat] }
  const feature = { type: 'Feature', geometry, properties: { timestamp: new Date().toISOString() } }
  const body = { locations: [feature] }
  await call('POST /in/{app}', {
    params: { app: 'overland' },
    headers: { authorization: `Bearer ${token}` },
    body,
  })
  await call('POST /in/{app}/{token}', { params: { app: 'overland', token }, body })
  await call('POST /in/{app}/{token}', { params: { app: 'overland', token: 'unknown' }, body })
  const traccar = await dataOf(call('POST /devices', { ...own, body: { userId: owner, app: 'traccar' } }))
  const query = `?lat=24.3&lon=120.6&timestamp=${Math.floor(Date.now() / 1_000)}`
  await call('GET /in/{app}/{token}', { params: { app: 'traccar', token: String(traccar.token) }, query })
  await call('GET /in/{app}', { params: { app: 'traccar' }, query: `${query}&id=${traccar.token}` })
  await call('GET /in/{app}', { params: { app: 'traccar' }, query })
  await call('GET /in/{app}', { params: { app: 'owntracks' }, query })
  await until(
    async () => {
      const { items } = await dataOf(call('GET /devices', { ...own, query: `?userId=${owner}` }))
      return Array.isArray(items) && items.every((item) => isObject(item) && item.lastOutcome !== null)
    },
    { what: 'both devices have sent something' },
  )
  await call('GET /devices', own)
  const logger = await dataOf(call('POST /devices', { ...own, body: { userId: owner, app: 'gpslogger' } }))
  const [, code = ''] = /setup\/(\w+)\.properties/.exec(JSON.stringify(logger.setup)) ?? []
  for (const profile of [code, code, 'short'])
    await call('GET /in/gpslogger/setup/{code}.properties', { params: { code: profile } })
  const link = await dataOf(call('POST /setup-links', { ...own, body: { userId: owner } }))
  const secrets = { code: link.code, key: 'k'.repeat(22) }
  await call('POST /setup-links', { body: { userId: owner } })
  await call('POST /setup-links/status', { body: secrets })
  await call('POST /setup-links/open', { body: { ...secrets, app: 'colota' } })
  await call('POST /setup-links/status', { body: secrets })
  await call('POST /setup-links/open', { body: { ...secrets, key: 'o'.repeat(22), app: 'colota' } })
  await call('POST /setup-links/status', { body: { ...secrets, code: 'x'.repeat(22) } })
  const params = { id: String(issued.deviceId) }
  await call('POST /devices/{id}/rotate', { ...own, params })
  await call('DELETE /devices/{id}', { ...own, params })
  await call('DELETE /devices/{id}', { ...own, params })
  expect(problems.splice(0)).toEqual([])
})

test('sessions', async () => {
  await call('GET /session')
  const signedIn = await call('POST /session', { body: { device: true } })
  const [cookie = ''] = (signedIn.headers.get('set-cookie') ?? '').split(';')
  const page = { cookie, origin: stack.running().url }
  await call('POST /session', { body: { recoveryCode: 'unknown' } })
  await call('POST /session', { body: {} })
  await call('GET /session', { headers: { cookie } })
  const stub = `${stack.running().line.stubUrl}_stub/id-token`
  const issued = await fetch(stub, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ userId: `U${'5'.repeat(32)}` }),
  })
  const { idToken: liffIdToken }: { idToken: string } = JSON.parse(await issued.text())
  const device = await call('POST /session', { body: { device: true } })
  const [second = ''] = (device.headers.get('set-cookie') ?? '').split(';')
  const asDevice = { headers: { cookie: second, origin: stack.running().url } }
  await call('POST /session/link', { ...asDevice, body: { device: true } })
  await call('POST /session/link', { ...asDevice, body: { liffIdToken } })
  await call('POST /session/link', { ...asDevice, body: { liffIdToken } })
  const more = await call('POST /session', { body: { device: true } })
  const [third = ''] = (more.headers.get('set-cookie') ?? '').split(';')
  const asThird = { headers: { cookie: third, origin: stack.running().url } }
  const { items } = await dataOf(call('GET /sessions', asThird))
  const [{ id }] = items as [{ id: string }]
  await call('DELETE /sessions/{id}', { ...asThird, params: { id } })
  await call('DELETE /sessions/{id}', { headers: page, params: { id: 'unknown' } })
  await call('DELETE /session', { headers: { cookie } })
  await call('DELETE /session', { headers: page, query: '?all=true' })
  await call('GET /session', { headers: { cookie } })
  expect(problems.splice(0)).toEqual([])
})

test('administration, the chat, and their errors', async () => {
  await until(async () => (await stack.api.health()).buffer_size === 0, { what: 'the flush' })
  await call('GET /auth/role', { as: 'volunteer' })
  await call('GET /auth/role')
  await call('GET /admin/status', { as: 'volunteer' })
  await call('PUT /admin/status', { as: 'volunteer', body: { status: 'paused' } })
  await call('PUT /admin/status', { as: 'manager', body: { status: 'paused', message: '大雨' } })
  await call('POST /checkin', { body: { userId: 'U-late', ...PLACE } })
  await call('PUT /admin/status', { as: 'manager', body: { status: 'active' } })
  await call('PUT /admin/status', { as: 'manager', body: { status: 'ended' } })
  await call('GET /admin/timeline', { as: 'owner', query: '?bucket=day' })
  await call('GET /admin/clusters', { as: 'volunteer', query: '?zoom=12' })
  await call('GET /admin/clusters', { as: 'manager', query: '?zoom=12&of=all&format=geojson' })
  await call('GET /line-usage', { as: 'volunteer' })
  await call('GET /admin/carbon', { as: 'manager' })
  await call('GET /admin/audit', { as: 'manager', query: '?act=activity&limit=2' })
  for (const path of ['/admin/surveys', '/admin/users'])
    for (const query of ['', '?format=csv', '?limit=0']) await call(`GET ${path}`, { as: 'manager', query })
  await call('GET /admin/users/{userId}', { as: 'owner', params: { userId } })
  const params = { userId }
  for (const query of ['', '?filtered=true', '?format=gpx', '?from=yesterday'])
    await call('GET /admin/users/{userId}/track', { as: 'owner', params, query })
  await call('POST /admin/roles', { as: 'manager', body: { userId, role: 'volunteer' } })
  await call('GET /admin/roles', { as: 'manager' })
  const pushed = await dataOf(call('POST /push', { as: 'owner', body: { to: 'owners', text: '集合' } }))
  await call('POST /push', { as: 'owner', body: { to: 'owners' } })
  await call('GET /push/{pushId}', { as: 'owner', params: { pushId: String(pushed.pushId) } })
  await call('GET /push/{pushId}', { as: 'owner', params: { pushId: 'none' } })
  await call('GET /push', { as: 'manager', query: '?limit=1' })
  await call('DELETE /push/{pushId}', { as: 'manager', params: { pushId: String(pushed.pushId) } })
  const scheduledAt = new Date(Date.now() + 86_400_000).toISOString()
  const later = await dataOf(
    call('POST /push', { as: 'manager', body: { to: 'owners', text: '集合', scheduledAt } }),
  )
  await call('DELETE /push/{pushId}', { as: 'manager', params: { pushId: String(later.pushId) } })
  await call('POST /admin/richmenu', { as: 'owner', body: {} })
  const hook = JSON.stringify({ destination: 'U0', events: [] })
  const signature = signatureOf(stack.running().line.channelSecret ?? '', hook)
  await call('POST /webhook', { body: hook, headers: { 'x-line-signature': signature } })
  await call('POST /webhook', { body: hook })
  for (const path of ['/health', '/ready', '/openapi.json', '/docs']) {
    const { headers } = await call(`GET ${path}`)
    const tag = headers.get('etag')
    if (tag) await call(`GET ${path}`, { headers: { 'if-none-match': tag } })
  }
  expect(problems.splice(0)).toEqual([])
})

test('what the pages read, and what organisers write for them', async () => {
  const name = { zh: '鑾轎', en: 'Palanquin' }
  const line = {
    type: 'LineString',
    coordinates: [
      [120.62, 24.34],
      [120.6, 24.3],
    ],
  }
  const place = { kind: 'rest', name, note: name, ...PLACE }
  const as = 'manager'
  for (const userId of ['carrier', 'one', 'two', 'three']) {
    await stack.api.post('/privacy', { userId, consent: true })
    await call('POST /checkin', { body: { userId, ...PLACE, accuracy: 8 } })
  }
  const beacon = { kind: 'palanquin', name, devices: ['carrier'] }
  const { id } = await dataOf(call('POST /admin/beacons', { as, body: beacon }))
  await call('POST /admin/beacons', { as, body: beacon })
  await call('POST /admin/beacons', { as, body: { ...beacon, devices: [] } })
  // Where the device was before it was given to the beacon is never shown.
  await call('POST /checkin', { body: { userId: 'carrier', ...PLACE, lat: PLACE.lat + 0.01, accuracy: 8 } })
  const shown = async () =>
    JSON.parse(new TextDecoder().decode((await call('GET /beacons')).bytes)).data.length > 0
  await until(shown, { what: 'the beacon' })
  const params = { id: String(id) }
  await call('GET /beacons/{id}/trail', { params })
  await call('GET /beacons/{id}/trail', { params: { id: 'none' } })
  await call('GET /density')
  await call('GET /density', { query: '?z=99&x=0&y=0' })
  await call('GET /admin/beacons', { as: 'volunteer' })
  await call('PATCH /admin/beacons/{id}', { as, params, body: { kind: 'rear' } })
  await call('DELETE /admin/beacons/{id}', { as, params })
  await call('DELETE /admin/beacons/{id}', { as, params })
  for (const [path, body, change] of [
    ['/admin/places', place, { note: null }],
    ['/admin/notices', { level: 'info', ...name, until: '2099-01-01T00:00:00Z' }, { level: 'urgent' }],
  ] as const) {
    const { id: added } = await dataOf(call(`POST ${path}`, { as, body }))
    const of = { as: 'owner', params: { id: String(added) } } as const
    await call(`GET ${path}`, { as: 'volunteer' })
    await call(`POST ${path}`, { as: 'volunteer', body })
    await call(`PATCH ${path}/{id}`, { ...of, body: change })
    await call(`GET ${path.replace('/admin', '')}`)
    await call(`DELETE ${path}/{id}`, of)
    await call(`DELETE ${path}/{id}`, of)
  }
  const owner = { as: 'owner' } as const
  await call('POST /admin/route', { ...owner, body: line })
  await call('PATCH /admin/route', { ...owner, body: { type: 'Point' } })
  await call('PATCH /admin/route', { ...owner, body: line })
  await call('POST /upload/route', { ...owner, body: line })
  await call('GET /admin/route', owner)
  await call('GET /route')
  await call('GET /consent')
  await call('GET /admin/settings', owner)
  await call('GET /admin/settings', { as: 'manager' })
  await call('PATCH /admin/settings', { ...owner, body: { densityMin: 4, name: { zh: '新名', en: 'New' } } })
  await call('PATCH /admin/settings', { ...owner, body: { densityMin: 1 } })
  await call('PATCH /admin/settings', { ...owner, body: { densityMin: null, name: null } })
  await call('DELETE /admin/route', owner)
  await call('DELETE /admin/route', owner)
  expect(problems.splice(0)).toEqual([])
})

test('errors of the gateway itself, and responses without a store', async () => {
  await call('POST /checkin', { body: 'x'.repeat(102_401) })
  await call('POST /checkin', { body: '{' })
  for (let i = 0; i < 6; i++) await call('POST /checkin', { body: { userId: 'U-fast', ...PLACE } })
  expect(seen.has('POST /checkin 429')).toBe(true)
  for (const [path, method] of [
    ['/api/event/checkin', 'GET'],
    ['/api/event/nothing', 'GET'],
  ] as const) {
    const { status, bytes, headers } = await send(method, path)
    const described = operations.find(({ path: other }) => other === '/api/event/checkin')?.operation
    const body = { status, bytes, headers }
    if (status === 405 && described) expect(complaint(described, body)).toBeNull()
    else
      expect([status, Object.keys(JSON.parse(new TextDecoder().decode(bytes)))]).toEqual([
        404,
        ['error', 'requestId'],
      ])
  }
  await stack.redis.suspend()
  const points = [{ ...PLACE, recordedAt: Date.now() }]
  // The journal takes it.
  expect((await call('POST /track/sync', { body: { userId: 'U-away', points } })).status).toBe(200)
  await call('GET /health')
  await stack.redis.resume()
  await whilePostgresIsSuspended(stack.home, () =>
    until(
      async () =>
        (await call('GET /user/{userId}', { once: true, params: { userId: 'U-new' } })).status === 503,
      { what: 'a read without PostgreSQL' },
    ),
  )
  await until(async () => (await call('GET /ready', { once: true })).status === 200, {
    what: 'all is well again',
  })
  expect(problems.splice(0)).toEqual([])
})

test('the end, and an erasure', async () => {
  await call('DELETE /user/{userId}', { as: 'manager', params: { userId } })
  await call('DELETE /user/{userId}', { as: 'owner', params: { userId } })
  await call('DELETE /user/{userId}', { as: 'owner', params: { userId: 'unknown' } })
  await call('POST /admin/end-activity', { as: 'owner', body: {} })
  await call('PUT /admin/status', { as: 'owner', body: { status: 'active' } })
  await call('POST /submit', { body: { userId: 'U-late', answers: ANSWERS } })
  await call('GET /activity')
  expect(problems.splice(0)).toEqual([])
})

test('every operation was called successfully, in each of its media types', () => {
  const missing: string[] = []
  for (const { path, method, operation } of operations)
    for (const [status, { content = {} }] of Object.entries(operation.responses)) {
      if (Number(status) >= 300) continue
      const name = `${method.toUpperCase()} ${path.replace('/api/event', '')} ${status}`
      for (const type of Object.keys(content))
        if (!seen.has(`${name} ${type}`)) missing.push(`${name} ${type}`)
    }
  expect(missing).toEqual([])
  for (const status of [400, 401, 403, 404, 409, 413, 429, 503])
    expect([status, [...seen].some((one) => one.endsWith(` ${status}`))]).toEqual([status, true])
})
