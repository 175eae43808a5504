import { expect, setDefaultTimeout, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { until } from '@palanquin/testing/until'
import { stack } from './unlimited-stack.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

type Line = { event: string; service: string; requestId: string; route: string; status: number; ms: number }
/** From here on a request is logged as slow (packages/service/src/request-log.ts). */
const SLOW_MS = 2_000

/** The lines about requests in the logs of all services. */
function requestLines(): Line[] {
  const files = readdirSync(stack.home.logs).filter((name) => name.endsWith('.log'))
  return files
    .flatMap((name) => readFileSync(join(stack.home.logs, name), 'utf8').split('\n'))
    .filter((line) => line.includes('"event":"request.completed"'))
    .map((line): Line => JSON.parse(line))
}

const checkIn = async (userId: string) =>
  (await stack.api.post('/checkin', { userId, lat: 24.1, lng: 120.6 })).status

test('a thousand successful check-ins and profiles leave no line in any log', async () => {
  const before = requestLines().length
  for (let batch = 0; batch < 20; batch++) {
    const people = Array.from({ length: 50 }, (_, at) => `logged-${batch}-${at}`)
    expect(new Set(await Promise.all(people.map(checkIn)))).toEqual(new Set([202]))
    await Promise.all(people.map((userId) => stack.api.get(`/user/${userId}`)))
  }
  const successes = requestLines()
    .slice(before)
    .filter(({ status, ms }) => status < 400 && ms < SLOW_MS)
  expect(successes).toEqual([])
})

test('a refusal is in the log of the gateway and of the service that refused; an administrative request is, too', async () => {
  const userId = 'logged-withdrawn'
  expect(await checkIn(userId)).toBe(202)
  const become = (status: string, headers = {}) =>
    stack.api.post('/participant-status', { userId, status }, { headers })
  expect((await become('withdrawn')).status).toBe(200)
  expect((await become('completed', { 'x-request-id': 'request-log-409' })).status).toBe(409)
  // A busy service may answer 503 first, and is asked again.
  const refusals = () =>
    requestLines()
      .filter(({ requestId, status }) => requestId === 'request-log-409' && status === 409)
      .map(({ service, route }) => `${service} ${route}`)
      .toSorted()
  await until(() => refusals().length >= 2, { what: 'both lines' })
  expect(refusals()).toEqual(['engagement /participant-status', 'gateway /participant-status'])
  expect((await stack.api.get('/auth/role', stack.api.as('volunteer'))).status).toBe(200)
  await until(() => requestLines().some(({ route, status }) => route === '/auth/role' && status === 200), {
    what: 'the administrative request',
  })
})
