import { afterAll, beforeAll, expect, test } from 'bun:test'
import { dataOf, SyncReceipt } from '@palanquin/stack/api'
import { startThrowawayStack, type ThrowawayStack } from '@palanquin/stack/testing/throwaway-stack'
import { searchFiles } from '@palanquin/testing/search'
import { until } from '@palanquin/testing/until'
import Type from 'typebox'
import Value from 'typebox/value'

const PILGRIM = `U${'1'.repeat(32)}`
const ATTACKER = `U${'2'.repeat(32)}`
const PLACE = { lat: 24.3457, lng: 120.6238 }
const ANSWERS = { q1: [], q2: [], q3: { bus: 12 }, q4: [], q5: 1, q6: 'mixed', q7: 3, q8: 2, q9: 0 }

let stack: ThrowawayStack
beforeAll(async () => {
  stack = await startThrowawayStack({ USER_AUTH: 'line', LINE: 'stub' })
})
afterAll(() => stack.close())

const handedOut: string[] = []
const stub = (path: string, body: object) =>
  fetch(`${stack.running().line.stubUrl}_stub/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })

/** What LIFF gives to a page, or what an attacker sends. */
async function bearer(userId: string, order: object = {}): Promise<{ headers: Record<string, string> }> {
  const answer = await stub('id-token', { userId, ...order })
  const { idToken } = Value.Parse(Type.Object({ idToken: Type.String() }), await answer.json())
  handedOut.push(idToken)
  return { headers: { authorization: `Bearer ${idToken}` } }
}
const pointNow = (userId: string) => ({ userId, points: [{ ...PLACE, recordedAt: Date.now() }] })
/** A call of each kind in a participant's name; the status of each. */
async function statusesOf(userId: string, request: { headers?: Record<string, string> }) {
  const { api } = stack
  const replies = [
    await api.post('/user/sync', { userId, displayName: '林媽祖' }, request),
    await api.post('/checkin', { userId, ...PLACE }, request),
    await api.post('/track/sync', pointNow(userId), request),
    await api.post('/submit', { userId, answers: ANSWERS }, request),
    await api.post('/feedback', { userId, category: 'praise', message: '讚' }, request),
  ]
  return replies.map(({ status }) => status)
}

test('a pilgrim writes with a token of LIFF or of web login, and everything counts', async () => {
  const own = await bearer(PILGRIM)
  expect(await statusesOf(PILGRIM, own)).toEqual([200, 202, 200, 200, 200])
  const { api } = stack
  const sync = await api.post('/track/sync', pointNow(PILGRIM), await bearer(PILGRIM, { as: 'HS256' }))
  expect(dataOf(SyncReceipt, sync).buffered).toBe(1)
  const profile = await until(
    async () => {
      const profile = await api.profile(PILGRIM)
      return profile.checkins === 1 && profile
    },
    { what: 'the check-in' },
  )
  expect(profile).toMatchObject({ displayName: '林媽祖', surveyCompleted: 1 })
})

test('no one else can write in their name: not without a token, nor with one that is another’s, old, forged or for another channel', async () => {
  const attacks = {
    'no token': [401, {}],
    'the attacker’s own': [403, await bearer(ATTACKER)],
    expired: [401, await bearer(PILGRIM, { lifetimeS: -1 })],
    'for another channel': [401, await bearer(PILGRIM, { audience: '1656999999' })],
    tampered: [401, await bearer(PILGRIM, { as: 'altered' })],
    'of another key': [401, await bearer(PILGRIM, { as: 'other-key' })],
    'not signed': [401, await bearer(PILGRIM, { as: 'unsigned' })],
    'under the public key': [401, await bearer(PILGRIM, { as: 'public-key-as-secret' })],
  } as const
  const before = await stack.api.profile(PILGRIM)
  for (const [name, [status, request]] of Object.entries(attacks)) {
    const statuses = await statusesOf(PILGRIM, request)
    expect({ name, statuses }).toEqual({ name, statuses: statuses.map(() => status) })
  }
  expect(await stack.api.profile(PILGRIM)).toMatchObject({ checkins: before.checkins })
  // Those tries did not use up the pilgrim's own rate limit.
  const own = await bearer(PILGRIM)
  expect((await stack.api.post('/checkin', { userId: PILGRIM, lat: 24.4, lng: 120.7 }, own)).status).toBe(202)
})

test('internal requests of LINE’s bot need no ID token', async () => {
  const { services, internalToken } = stack.running()
  const answer = await fetch(`${services.tracking?.url}/internal/checkin`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-internal-token': internalToken },
    body: JSON.stringify({ userId: PILGRIM, lat: 24.5, lng: 120.8, source: 'line' }),
  })
  expect(answer.status).toBe(202)
})

test('a token of the channel secret is verified without LINE, a forged one is refused', async () => {
  const { api } = stack
  const consent = { userId: PILGRIM, consent: true }
  const token = await bearer(PILGRIM, { as: 'HS256', lifetimeS: 1_800 })
  expect((await api.post('/privacy', consent, token)).status).toBe(200)
  const [head = '', claims = ''] = token.headers.authorization?.split('.') ?? []
  const forged = { headers: { authorization: [head, claims, 'A'.repeat(43)].join('.') } }
  expect((await api.post('/privacy', consent, forged)).status).toBe(401)
})

test('while LINE is away known keys verify tokens, and one of a new key waits for it', async () => {
  const { api } = stack
  const consentBy = async (token: Awaited<ReturnType<typeof bearer>>) =>
    (await api.post('/privacy', { userId: PILGRIM, consent: true }, { ...token, once: true })).status
  expect(await consentBy(await bearer(PILGRIM))).toBe(200)
  const ofKnownKey = await bearer(PILGRIM, { lifetimeS: 1_800 })
  await stub('rotate', {})
  await stub('faults', { kind: 'reset', times: 1_000 })
  const ofNewKey = await bearer(PILGRIM)
  await until(async () => (await consentBy(ofNewKey)) === 503, {
    what: 'the keys of before are no longer all',
  })
  expect(await consentBy(ofKnownKey)).toBe(200)
  expect(await consentBy(await bearer(PILGRIM, { as: 'HS256', lifetimeS: 900 }))).toBe(200)
  await stub('faults/clear', {})
  await until(async () => (await consentBy(ofNewKey)) === 200, { what: 'LINE is asked for its keys again' })
})

test('a pilgrim erases themselves, no one else does, and no token is stored anywhere in the home', async () => {
  const { api } = stack
  expect((await api.delete(`/user/${PILGRIM}`, await bearer(ATTACKER))).status).toBe(403)
  expect((await api.delete(`/user/${PILGRIM}`)).status).toBe(401)
  expect((await api.delete(`/user/${PILGRIM}`, api.as('manager'))).status).toBe(403)
  expect((await api.delete(`/user/${PILGRIM}`, await bearer(PILGRIM))).status).toBe(200)
  expect((await api.get(`/user/${PILGRIM}`)).status).toBe(404)
  const parts = handedOut.map((token) => token.split('.')[1] ?? token)
  expect(searchFiles(stack.home.folder, parts, { except: ['pg', 'redis', 'toolchain'] })).toEqual([])
})
