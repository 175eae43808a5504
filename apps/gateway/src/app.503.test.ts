import { afterEach, expect, describe as group, test } from 'bun:test'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { until } from '@palanquin/testing/until'
import { json, TOKENS } from '../test/gateway.ts'
import { useGateway } from '../test/use-gateway.ts'
import { boundsOf, callsMaxOf } from './proxy/services.ts'

/** Nothing but the calls of a test takes a place, and none of them ends before it is released. */
const deployment = useGateway({
  env: { RATE_LIMITS: 'off' },
  followsSessions: false,
  deadlineMs: TEST_TIMEOUT_MS,
})
const PLACES = boundsOf(callsMaxOf(process.env.BUN_CONFIG_MAX_HTTP_REQUESTS)).inFlightMax

let release = () => {}
afterEach(() => release())

/** The service responds to no call until it is released. */
function hold(service: 'tracking' | 'engagement'): void {
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  deployment.services[service].replyWith(async () => {
    await released
    return Response.json({ ok: true })
  })
}
const call = (path: string, init?: RequestInit) => deployment.gateway.call(`/api/event${path}`, init)
const checkin = (user: number) => call('/checkin', json({ userId: `U${user}`, lat: 24, lng: 120 }))
/** What steers the activity has the places that check-ins have. */
const steer = () => call('/admin/status', owner)
const owner = { headers: { 'x-admin-token': TOKENS.owner } }

/** Fills places of a service with calls, and resolves when it is handling them. */
async function fill(
  service: 'tracking' | 'engagement',
  calls: number,
  one: (i: number) => Promise<Response>,
): Promise<Promise<Response>[]> {
  const asked = deployment.services[service].calls
  const before = asked.length
  const answers = Array.from({ length: calls }, (_, i) => one(i))
  await until(() => asked.length === before + calls, { what: 'all are in flight' })
  return answers
}

group('a service without a free place', () => {
  test('rejects exports first, then reads, and keeps places for critical requests', async () => {
    hold('engagement')
    const half = Math.ceil(PLACES * 0.5)
    const most = Math.ceil(PLACES * 0.875)
    const reads = await fill('engagement', half, () => call('/feedback/status'))
    const shed = await call('/admin/timeline', owner)
    expect([shed.status, shed.headers.get('retry-after')]).toEqual([503, '1'])
    expect(await shed.json()).toMatchObject({ error: expect.stringContaining('very busy') })

    const more = await fill('engagement', most - half, () => call('/feedback/status'))
    expect((await call('/feedback/status')).status).toBe(503)
    const steering = await fill('engagement', PLACES - most, steer)
    const last = await steer()
    expect([last.status, last.headers.get('retry-after')]).toEqual([503, '1'])

    release()
    const answers = await Promise.all([...reads, ...more, ...steering])
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
    expect((await call('/admin/timeline', owner)).status).toBe(200)
  })

  test('takes no place of another service', async () => {
    hold('tracking')
    const checkins = await fill('tracking', PLACES, checkin)
    expect((await call('/user/U1')).status).toBe(200)
    expect((await call('/og/U1.png')).status).toBe(200)
    release()
    await Promise.all(checkins)
  })
})
