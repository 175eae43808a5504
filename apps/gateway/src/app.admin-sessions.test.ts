import { afterAll, expect, test } from 'bun:test'
import type { Role } from '@palanquin/domain/role'
import { type LineStub, testLine } from '@palanquin/line-simulator/stub'
import { until } from '@palanquin/testing/until'
import { type GatewayInstance, json, TOKENS } from '../test/gateway.ts'
import { type SignedIn, signIn } from '../test/sign-in.ts'
import { COUNTED_TOGETHER, useGateway } from '../test/use-gateway.ts'

const line: LineStub = testLine()
afterAll(() => line.close())
const ENVIRONMENT = { ...line.environment, USER_AUTH: 'session' }
const deployment = useGateway({ ...COUNTED_TOGETHER, env: ENVIRONMENT })

let people = 0
/** Somebody who signs in having a role. */
async function staff(role: Role): Promise<SignedIn> {
  const userId = `U${String(++people).padStart(32, '0')}`
  deployment.services.engagement.sessions.roles.set(userId, role)
  return signIn(deployment.gateway, { liffIdToken: line.control.idTokens.issue({ userId }) })
}
const get = (who: SignedIn, path: string, gateway: GatewayInstance = deployment.gateway) =>
  gateway.call(`/api/event${path}`, { headers: { cookie: who.cookie } })
const pause = (headers: Record<string, string>) =>
  deployment.gateway.call('/api/event/admin/status', {
    ...json({ status: 'paused' }, headers),
    method: 'PUT',
  })
const last = () => deployment.calls().at(-1)?.headers

test('somebody with a role has its tier, for half a day, and the services learn who it is', async () => {
  for (const [role, tier, users, menu] of [
    ['volunteer', 1, 403, 403],
    ['manager', 2, 200, 403],
    ['owner', 3, 200, 200],
  ] as const) {
    const who = await staff(role)
    expect(who.body).toMatchObject({ kind: 'line', tier })
    const hours = (Date.parse(String(who.body.expiresAt)) - Date.now()) / 3_600_000
    expect(Math.round(hours)).toBe(12)
    expect((await get(who, '/admin/status')).status).toBe(200)
    expect([last()?.get('x-internal-tier'), last()?.get('x-internal-actor')]).toEqual([
      String(tier),
      who.userId,
    ])
    expect((await get(who, '/admin/users')).status).toBe(users)
    const deploy = json({}, who.asPage)
    expect((await deployment.gateway.call('/api/event/admin/richmenu', deploy)).status).toBe(menu)
  }
})

test('an admin token may be exchanged for a cookie, which never shows it and names no person', async () => {
  for (const [role, tier] of [
    ['volunteer', 1],
    ['manager', 2],
    ['owner', 3],
  ] as const) {
    const who = await signIn(deployment.gateway, { adminToken: TOKENS[role] })
    expect(who.body).toEqual({ userId: null, kind: 'admin', tier, expiresAt: expect.any(String) })
    expect(deployment.services.engagement.sessions.received.join()).not.toContain(TOKENS[role])
    expect((await get(who, '/admin/status')).status).toBe(200)
    expect([last()?.get('x-internal-tier'), last()?.get('x-internal-actor')]).toEqual([String(tier), null])
    // It belongs to no person and writes in no participant's name.
    const write = json({ userId: 'U1' }, who.asPage)
    expect((await deployment.gateway.call('/api/event/checkin', write)).status).toBe(401)
  }
})

test('a role that is taken away is gone within a second or two, on every gateway; the person stays signed in', async () => {
  const other = await deployment.addGateway({ ...COUNTED_TOGETHER, env: ENVIRONMENT })
  const who = await staff('volunteer')
  const colleague = await staff('volunteer')
  for (const gateway of [deployment.gateway, other])
    expect((await get(who, '/admin/status', gateway)).status).toBe(200)
  deployment.services.engagement.sessions.roles.delete(who.userId)
  for (const gateway of [deployment.gateway, other])
    await until(async () => (await get(who, '/admin/status', gateway)).status === 401, {
      what: 'the tier is gone',
    })
  expect(await (await get(who, '/session')).json()).toEqual({
    ok: true,
    data: { userId: who.userId, kind: 'line', expiresAt: expect.any(String) },
  })
  expect((await get(colleague, '/admin/status')).status).toBe(200)
})

test('a session of an admin token ends when the token is replaced', async () => {
  const who = await signIn(deployment.gateway, { adminToken: TOKENS.manager })
  const replaced = await deployment.addGateway({
    env: { ...ENVIRONMENT, EVENT_MANAGER_TOKEN: 'the-next-token-of-the-managers-01' },
  })
  expect((await get(who, '/admin/status', replaced)).status).toBe(401)
  expect((await get(who, '/admin/status')).status).toBe(200)
})

test('what changes something needs a page of ours; an admin token in the header does not', async () => {
  const { cookie, asPage } = await staff('manager')
  for (const headers of [{ cookie }, { cookie, origin: 'https://evil.example' }, { cookie, origin: 'null' }])
    expect((await pause(headers)).status).toBe(403)
  expect((await pause(asPage)).status).toBe(200)
  expect((await pause({ 'x-admin-token': TOKENS.manager })).status).toBe(200)
  expect((await pause({ 'x-admin-token': TOKENS.manager, cookie })).status).toBe(200)
  expect(last()?.get('x-internal-actor')).toBeNull()
  expect((await pause({ ...asPage, 'x-admin-token': 'wrong' })).status).toBe(401)
})

test('without a store no role is believed; admin tokens need none', async () => {
  const who = await staff('owner')
  expect((await get(who, '/admin/status')).status).toBe(200)
  deployment.services.engagement.sessions.isAway = true
  await until(async () => (await get(who, '/admin/status')).status === 503, { what: 'the role is unsure' })
  const answer = await deployment.gateway.call('/api/event/admin/status', {
    headers: { 'x-admin-token': TOKENS.owner },
  })
  expect(answer.status).toBe(200)
  deployment.services.engagement.sessions.isAway = false
  await until(async () => (await get(who, '/admin/status')).status === 200, { what: 'the role is known' })
})

test('where a token is optional, the tier counts, and a participant’s or a worthless cookie is the public', async () => {
  const manager = await staff('manager')
  const participant = await signIn(deployment.gateway, { device: true })
  const tierAt = async (cookie: string) => {
    const answer = await deployment.gateway.call('/api/event/feedback', { headers: { cookie } })
    return [answer.status, last()?.get('x-internal-tier')]
  }
  expect(await tierAt(manager.cookie)).toEqual([200, '2'])
  expect(await tierAt(participant.cookie)).toEqual([200, '0'])
  expect(await tierAt(`__Host-session=${'A'.repeat(43)}`)).toEqual([200, '0'])
  deployment.services.engagement.sessions.isAway = true
  expect(await tierAt(`__Host-session=${'B'.repeat(43)}`)).toEqual([200, '0'])
  deployment.services.engagement.sessions.isAway = false
  await until(async () => (await get(manager, '/session')).status === 200, { what: 'sessions are known' })
})

test('all sessions of a person share the thirty calls a minute', async () => {
  const who = await staff('volunteer')
  const again = await signIn(deployment.gateway, {
    liffIdToken: line.control.idTokens.issue({ userId: who.userId }),
  })
  const statuses: number[] = []
  for (let i = 0; i < 31; i++) statuses.push((await get(i % 2 ? who : again, '/admin/status')).status)
  expect(statuses.filter((status) => status === 200)).toHaveLength(30)
  expect(statuses.at(-1)).toBe(429)
})

test('a wrong admin token at sign-in is a guess like any other, and never keeps a right one out', async () => {
  // With another internal token it counts apart from the tests before.
  const limited = await deployment.addGateway({
    ...COUNTED_TOGETHER,
    env: { ...ENVIRONMENT, SESSION_LIMIT: '1000', INTERNAL_TOKEN: 'g'.repeat(32) },
  })
  const attempt = async (adminToken: string) =>
    (await limited.call('/api/event/session', json({ adminToken }))).status
  const statuses: number[] = []
  for (let i = 0; i < 61; i++) statuses.push(await attempt(`wrong-${i}`))
  expect(statuses.filter((status) => status === 401)).toHaveLength(60)
  expect(statuses.at(-1)).toBe(429)
  expect(await attempt(TOKENS.owner)).toBe(201)
})
