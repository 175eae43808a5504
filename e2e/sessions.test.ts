import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { startThrowawayStack, type ThrowawayStack } from '@palanquin/stack/testing/throwaway-stack'
import { searchFiles, searchPostgres, searchRedis } from '@palanquin/testing/search'
import { until } from '@palanquin/testing/until'
import postgres from 'postgres'
import Type from 'typebox'
import Value from 'typebox/value'
import { fetchPatiently } from './fetch-patiently.ts'

/** Sessions through the whole stack, as a browser has them: by cookie and Origin. */

const PLACE = { lat: 24.3457, lng: 120.6238 }
const VOLUNTEER = `U${'7'.repeat(32)}`

let stack: ThrowawayStack
beforeAll(async () => {
  stack = await startThrowawayStack({ USER_AUTH: 'session', LINE: 'stub', FLUSH_SCHEDULE: '*/2 * * * * *' })
})
afterAll(() => stack.close())

const secrets: string[] = []
type Browser = { cookie: string }
type Answer = { status: number; body: Record<string, unknown>; data: Record<string, unknown> }

/** One request of a page of ours; the browser keeps the cookie that comes back. */
async function send(
  browser: Browser,
  method: string,
  path: string,
  body?: object,
  ask = fetchPatiently,
): Promise<Answer> {
  const { url, caFile } = stack.running()
  const answer = await ask(`${url}/api/event${path}`, {
    method,
    headers: {
      ...(browser.cookie === '' ? {} : { cookie: browser.cookie }),
      ...(method === 'GET' ? {} : { origin: url, 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    tls: { ca: readFileSync(caFile, 'utf8') },
  })
  const set = answer.headers.get('set-cookie')
  if (set !== null) browser.cookie = set.split(';')[0] ?? ''
  const secret = browser.cookie.split('=')[1]
  if (secret) secrets.push(secret)
  const text = await answer.text()
  const parsed: Record<string, unknown> = text === '' ? {} : JSON.parse(text)
  const data = typeof parsed.data === 'object' && parsed.data !== null ? { ...parsed.data } : {}
  return { status: answer.status, body: parsed, data }
}

/** A browser that signs in. */
async function signedIn(credentials: object): Promise<Browser & { data: Record<string, unknown> }> {
  const browser = { cookie: '' }
  const { status, data } = await send(browser, 'POST', '/session', credentials)
  expect(status).toBe(201)
  if (typeof data.recoveryCode === 'string') secrets.push(data.recoveryCode)
  return Object.assign(browser, { data })
}

async function idToken(userId: string): Promise<string> {
  const answer = await fetch(`${stack.running().line.stubUrl}_stub/id-token`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ userId }),
  })
  return Value.Parse(Type.Object({ idToken: Type.String() }), await answer.json()).idToken
}

test('somebody without LINE walks: joins, checks in, moves to another phone, signs out everywhere', async () => {
  const phone = await signedIn({ device: true })
  const { userId, recoveryCode } = phone.data
  const checkIn = (browser: Browser) => send(browser, 'POST', '/checkin', { userId, ...PLACE })
  expect((await send(phone, 'POST', '/privacy', { userId, consent: true })).status).toBe(200)
  expect((await checkIn(phone)).status).toBe(202)
  expect((await checkIn({ cookie: '' })).status).toBe(401)
  const another = await signedIn({ device: true })
  expect((await checkIn(another)).status).toBe(403)
  await until(async () => (await send(phone, 'GET', `/user/${userId}`)).data.checkins === 1, {
    what: 'the check-in',
  })
  const next = await signedIn({ recoveryCode })
  expect([next.data.userId, next.data.recoveryCode === recoveryCode]).toEqual([userId, false])
  expect((await send({ cookie: '' }, 'POST', '/session', { recoveryCode })).status).toBe(401)
  expect((await send(next, 'GET', '/session')).data).toMatchObject({ userId, kind: 'device' })
  const { ended, recoveryCode: lastCode } = (await send(next, 'DELETE', '/session?all=true')).data
  expect(ended).toBe(2)
  expect(
    (await send({ cookie: '' }, 'POST', '/session', { recoveryCode: next.data.recoveryCode })).status,
  ).toBe(401)
  expect((await signedIn({ recoveryCode: lastCode })).data.userId).toBe(userId)
  await until(async () => (await checkIn(phone)).status === 401, { what: 'the first phone is signed out' })
})

test('a volunteer signs in with LINE, is named by the audit, and is shut out within seconds', async () => {
  const { api } = stack
  const owner = api.as('owner')
  await api.post('/admin/roles', { userId: VOLUNTEER, role: 'manager' }, owner)
  const browser = await signedIn({ liffIdToken: await idToken(VOLUNTEER) })
  expect(browser.data).toMatchObject({ userId: VOLUNTEER, kind: 'line', tier: 2 })
  expect((await send(browser, 'PUT', '/admin/status', { status: 'paused' })).data.by).toBe(VOLUNTEER)
  expect((await send(browser, 'PUT', '/admin/status', { status: 'active' })).status).toBe(200)
  const timeline = await send(browser, 'GET', '/admin/timeline')
  expect(JSON.stringify(timeline.data.events)).toContain(`"activity.changed","by":"${VOLUNTEER}"`)
  await api.post('/admin/roles', { userId: VOLUNTEER, role: null }, owner)
  await until(async () => (await send(browser, 'GET', '/admin/timeline')).status === 401, {
    what: 'the tier is gone',
  })
  expect((await send(browser, 'GET', '/session')).data).toMatchObject({ userId: VOLUNTEER })
})

test('a device’s walk is joined to a LINE id: everything once, and the device is unknown from then on', async () => {
  const PILGRIM = `U${'8'.repeat(32)}`
  const device = await signedIn({ device: true })
  const line = await signedIn({ liffIdToken: await idToken(PILGRIM) })
  const id = device.data.userId
  const startMs = Date.now() - 7_200_000
  const way = Array.from({ length: 60 }, (_, minute) => ({
    lat: 24.1 + minute * 0.0006,
    lng: 120.6,
    accuracy: 9,
    recordedAt: startMs + minute * 60_000,
  }))
  const sync = (browser: Browser, userId: unknown, points: object[]) =>
    send(browser, 'POST', '/track/sync', { userId, points })
  expect((await sync(device, id, way.slice(0, 40))).status).toBe(200)
  expect((await sync(line, PILGRIM, way.slice(30))).status).toBe(200)
  const places = [3, 20, 35].map((at) => ({ ...way[at], source: 'checkin' }))
  for (const place of places) {
    expect((await send(device, 'POST', '/checkin', { userId: id, ...place })).status).toBe(202)
    expect((await send(line, 'POST', '/checkin', { userId: PILGRIM, ...place })).status).toBe(202)
  }
  await send(device, 'POST', '/user/phone', { userId: id, phone: '0912345678' })
  const joined = await send(device, 'POST', '/session/link', { liffIdToken: await idToken(PILGRIM) })
  expect(joined).toMatchObject({ status: 200, data: { userId: PILGRIM, kind: 'line', complete: true } })
  const profile = await until(
    async () => {
      const { data } = await send(device, 'GET', `/user/${PILGRIM}`)
      return Number(data.distanceKm) > 0 && data
    },
    { what: 'the joined walk' },
  )
  const reference = await signedIn({ device: true })
  await sync(reference, reference.data.userId, way)
  for (const place of places) {
    await send(reference, 'POST', '/checkin', { userId: reference.data.userId, ...place })
  }
  const alone = await until(
    async () => {
      const { data } = await send(reference, 'GET', `/user/${reference.data.userId}`)
      return Number(data.distanceKm) > 0 && data
    },
    { what: 'the flush of the same walk by one alone' },
  )
  expect(profile).toMatchObject({ checkins: 3, hasPhone: true, distanceKm: alone.distanceKm })
  expect((await send(line, 'GET', `/user/${id}`)).status).toBe(404)
  expect((await send(device, 'POST', '/checkin', { userId: id, ...PLACE })).status).toBe(403)
  expect((await send(device, 'POST', '/checkin', { userId: PILGRIM, ...PLACE })).status).toBe(202)
  expect((await send(device, 'GET', '/session')).data).toMatchObject({ userId: PILGRIM })
})

test('joined to LINE, a person is on every open map where the phone was, and the phone is not', async () => {
  const device = await signedIn({ device: true })
  const { userId } = device.data
  const consent = { userId, consent: true, version: '1', visibility: 'named' }
  expect((await send(device, 'POST', '/privacy', consent)).status).toBe(200)
  await send(device, 'POST', '/user/sync', { userId, displayName: '阿嬤' })
  const here = { lat: 24.2345, lng: 120.5432 }
  expect((await send(device, 'POST', '/checkin', { userId, ...here })).status).toBe(202)
  const named = (points: unknown) =>
    Array.isArray(points) ? points.find(({ displayName }) => displayName === '阿嬤') : undefined
  const before = await until(
    async () => {
      const { data } = await send(device, 'GET', '/data')
      const point = named(data.points)
      return point && { point, cursor: data.cursor }
    },
    { what: 'the phone on the map' },
  )
  const liffIdToken = await idToken(`U${'6'.repeat(32)}`)
  expect((await send(device, 'POST', '/session/link', { liffIdToken })).status).toBe(200)
  const delta = await until(
    async () => {
      const { data } = await send(device, 'GET', `/data?since=${before.cursor}`)
      return named(data.points) && data
    },
    { what: 'the person on the map' },
  )
  expect(named(delta.points)).toMatchObject(here)
  expect(named(delta.points).id).not.toBe(before.point.id)
  expect(delta.removed).toContain(before.point.id)
})

test('who erases themselves by their session is gone with it', async () => {
  const browser = await signedIn({ device: true })
  const { userId } = browser.data
  const cookie = browser.cookie
  expect((await send(browser, 'DELETE', `/user/${userId}`)).data.erased).toMatchObject({ sessions: 1 })
  await until(async () => (await send({ cookie }, 'GET', '/session')).status === 204, {
    what: 'the session is gone',
  })
  expect((await send(browser, 'GET', `/user/${userId}`)).status).toBe(404)
})

test('participants who are signed in go on without engagement; signing in waits for it', async () => {
  const browser = await signedIn({ device: true })
  const { userId } = browser.data
  expect((await send(browser, 'POST', '/checkin', { userId, ...PLACE })).status).toBe(202)
  const { engagement } = stack.running().services
  if (engagement === undefined) throw new Error('no engagement')
  process.kill(engagement.pid, 'SIGSTOP')
  try {
    const later = { userId, lat: 24.35, lng: 120.63 }
    expect((await send(browser, 'POST', '/checkin', later)).status).toBe(202)
    const session = await send({ cookie: '' }, 'POST', '/session', { device: true }, fetch)
    expect([503, 504]).toContain(session.status)
  } finally {
    process.kill(engagement.pid, 'SIGCONT')
  }
  await until(async () => (await send({ cookie: '' }, 'POST', '/session', { device: true })).status === 201, {
    what: 'signing in works again',
  })
})

test('no file, table or key of the stack holds a session token or a recovery code', async () => {
  expect(secrets.length).toBeGreaterThan(5)
  const { databaseUrl, redisUrl } = stack.running()
  const needles = [...new Set(secrets)]
  expect(searchFiles(stack.home.folder, needles, { except: ['pg', 'redis', 'toolchain'] })).toEqual([])
  expect(await searchRedis(redisUrl, needles)).toEqual([])
  const sql = postgres(databaseUrl, { max: 1 })
  expect(await searchPostgres(sql, needles)).toEqual([])
  await sql.end()
})
