import { beforeAll, expect, test } from 'bun:test'
import { until } from '@palanquin/testing/until'
import { json, TOKENS } from '../test/gateway.ts'
import { COUNTED_TOGETHER, useGateway } from '../test/use-gateway.ts'

/** What `app.429.test.ts` says of two gateways, of one that counts in its memory. */
const ALONE = 'palanquin_gateway_rate_limits_sole{service="gateway"}'

const deployment = useGateway({
  ...COUNTED_TOGETHER,
  env: { PUBLIC_WRITE_LIMIT: '40', PUBLIC_READ_LIMIT: '50' },
})
beforeAll(() =>
  until(async () => (await deployment.gateway.metrics()).includes(`${ALONE} 1`), { what: 'it counts alone' }),
)

/** Statuses of so many calls at once. */
const callTimes = async (count: number, path: string, init: RequestInit) => {
  const calls = Array.from({ length: count }, () => deployment.gateway.call(`/api/event${path}`, init))
  const statuses: Record<number, number> = {}
  for (const { status } of await Promise.all(calls)) statuses[status] = (statuses[status] ?? 0) + 1
  return statuses
}
const admin = (token: string) => ({ headers: { 'x-admin-token': token } })

test('5 check-ins and 10 syncs of a user pass, and the next is 429 and says when to come again', async () => {
  expect(await callTimes(20, '/checkin', json({ userId: 'U1' }))).toEqual({ 200: 5, 429: 15 })
  expect(await callTimes(20, '/track/sync', json({ userId: 'U1' }))).toEqual({ 200: 10, 429: 10 })
  const refused = await deployment.gateway.call('/api/event/checkin', json({ user_id: 'U1' }))
  expect(refused.status).toBe(429)
  expect(Number(refused.headers.get('retry-after'))).toBeWithin(1, 61)
  expect(refused.headers.get('ratelimit-limit')).toBe('5')
  expect(refused.headers.get('ratelimit-remaining')).toBe('0')
  const other = await deployment.gateway.call('/api/event/checkin', json({ userId: 'U2' }))
  expect([other.status, other.headers.get('ratelimit-remaining')]).toEqual([200, '4'])
})

test('2 surveys of a user in ten minutes pass', async () => {
  expect(await callTimes(5, '/submit', json({ userId: 'U1' }))).toEqual({ 200: 2, 429: 3 })
})

test('30 writes of a user on each route pass; refused ones give the address its place back', async () => {
  // Two of its 40 places are taken by surveys.
  expect(await callTimes(36, '/privacy', json({ userId: 'U1' }))).toEqual({ 200: 30, 429: 6 })
  expect(await callTimes(12, '/user/phone', json({ userId: 'U1' }))).toEqual({ 200: 8, 429: 4 })
})

test('30 calls of an admin token pass, and 60 wrong tokens of an address', async () => {
  expect(await callTimes(40, '/auth/role', admin(TOKENS.manager))).toEqual({ 200: 30, 429: 10 })
  expect(await callTimes(80, '/auth/role', admin('wrong'))).toEqual({ 401: 60, 429: 20 })
})

test('reads are counted over all routes', async () => {
  expect(await callTimes(30, '/data', {})).toEqual({ 200: 30 })
  expect(await callTimes(30, '/user/U1', {})).toEqual({ 200: 20, 429: 10 })
})
