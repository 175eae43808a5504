import { expect, test } from 'bun:test'
import { json } from '../../test/gateway.ts'
import { useGateway } from '../../test/use-gateway.ts'

const deployment = useGateway()

/** Nothing that a client means by it, but the fast path leaves it to the checks. */
const UNUSUAL = { 'content-encoding': 'identity' }
/** Differs from response to response. */
const OWN_HEADERS = ['x-request-id', 'date']

const USER = { lat: 24.1, lng: 120.6 }
let users = 0
const newUser = () => `fast-${users++}`

async function seen(response: Response) {
  const headers = Object.fromEntries([...response.headers].filter(([name]) => !OWN_HEADERS.includes(name)))
  const body = (await response.text()).replace(/"requestId":"[^"]+"/, '"requestId":"…"')
  return { status: response.status, headers, body }
}
const send = (body: string, headers: Record<string, string> = {}, path = '/checkin') =>
  deployment.gateway.call(`/api/event${path}`, { ...json({}, headers), body })

test('a call is answered alike by the fast path and by the checks, header by header', async () => {
  const bodies = (userId: string) => [
    JSON.stringify({ userId, ...USER }),
    `{ "userId" : "${userId}" , "lat" : 24.1 }`,
    JSON.stringify({ ...USER, userId }),
    JSON.stringify({ user_id: userId, ...USER }),
    `{"userId":"${userId}","note":"媽祖 保佑"}`,
    `{"userId":"${userId}"`,
    `{"userId":"${userId}","lat":}`,
    `{"userId":"${userId}!"}`,
    `{"note":"\\"userId\\":\\"${userId}\\""}`,
    `{"points":[{"userId":"${userId}"}]}`,
    `[{"userId":"${userId}"}]`,
    '',
    '{}',
  ]
  for (const path of ['/checkin', '/track/sync'])
    for (let at = 0; at < bodies('').length; at++) {
      // One participant for each way, so that neither counts for the other.
      const fast = await seen(await send(bodies(newUser())[at] ?? '', {}, path))
      const checked = await seen(await send(bodies(newUser())[at] ?? '', UNUSUAL, path))
      expect({ at, ...fast }).toEqual({ at, ...checked })
    }
})

test('a body that names its participant twice counts for the one that the service reads', async () => {
  const [victim, attacker] = [newUser(), newUser()]
  const twice = `{"userId":"${victim}","userId":"${attacker}","lat":24.1,"lng":120.6}`
  const statuses = []
  for (let call = 0; call < 7; call++) statuses.push((await send(twice)).status)
  expect(statuses).toEqual([200, 200, 200, 200, 200, 429, 429])
  const own = await send(JSON.stringify({ userId: victim, ...USER }))
  expect([own.status, own.headers.get('ratelimit-remaining')]).toEqual([200, '4'])
})

test('a text that is no JSON counts for nobody', async () => {
  const userId = newUser()
  for (let call = 0; call < 10; call++) expect((await send(`{"userId":"${userId}",}`)).status).toBe(400)
  const next = await send(JSON.stringify({ userId, ...USER }))
  expect([next.status, next.headers.get('ratelimit-remaining')]).toEqual([200, '4'])
})

test('the limit is exact where both ways are taken by turns', async () => {
  const userId = newUser()
  const body = JSON.stringify({ userId, ...USER })
  const statuses = []
  for (let call = 0; call < 8; call++) statuses.push((await send(body, call % 2 ? UNUSUAL : {})).status)
  expect(statuses).toEqual([200, 200, 200, 200, 200, 429, 429, 429])
})

test('a service that cannot be reached is a 502, and the call keeps its place', async () => {
  const userId = newUser()
  await deployment.services.tracking.kill()
  const lost = await send(JSON.stringify({ userId, ...USER }))
  deployment.services.tracking.restart()
  expect(lost.status).toBe(502)
  const next = await send(JSON.stringify({ userId, ...USER }))
  expect([next.status, next.headers.get('ratelimit-remaining')]).toEqual([200, '3'])
})
