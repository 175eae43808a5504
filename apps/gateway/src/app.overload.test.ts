import { afterEach, expect, describe as group, test } from 'bun:test'
import { until } from '@palanquin/testing/until'
import { json, TOKENS } from '../test/stand.ts'
import { useStand } from '../test/use-stand.ts'
import { boundsOf, callsMaxOf } from './upstream/services.ts'

const house = useStand({ env: { RATE_LIMITS: 'off' } })
const PLACES = boundsOf(callsMaxOf(process.env.BUN_CONFIG_MAX_HTTP_REQUESTS)).inFlightMax

let letGo = () => {}
afterEach(() => letGo())

/** The service answers nobody until it is let go. */
function hold(service: 'tracking' | 'media'): void {
  const held = new Promise<void>((resolve) => {
    letGo = resolve
  })
  house.services[service].replyWith(async () => {
    await held
    return Response.json({ ok: true })
  })
}
const call = (path: string, init?: RequestInit) => house.stand.call(`/api/event${path}`, init)
const checkin = (user: number) => call('/checkin', json({ userId: `U${user}`, lat: 24, lng: 120 }))
const owner = { headers: { 'x-admin-token': TOKENS.owner } }

/** Fills places of tracking with calls, and comes back when it has them in hand. */
async function fill(calls: number, one: (i: number) => Promise<Response>): Promise<Promise<Response>[]> {
  const before = house.services.tracking.calls.length
  const answers = Array.from({ length: calls }, (_, i) => one(i))
  await until(() => house.services.tracking.calls.length === before + calls, { what: 'all are under way' })
  return answers
}

group('a service that has its hands full', () => {
  test('turns exports away first, then reads, and keeps places that check-ins alone can have', async () => {
    hold('tracking')
    const half = Math.ceil(PLACES * 0.5)
    const most = Math.ceil(PLACES * 0.875)
    const reads = await fill(half, () => call('/data'))
    const shed = await call('/admin/clusters', owner)
    expect([shed.status, shed.headers.get('retry-after')]).toEqual([503, '1'])
    expect(await shed.json()).toMatchObject({ error: expect.stringContaining('very busy') })

    const more = await fill(most - half, () => call('/data'))
    expect((await call('/data')).status).toBe(503)
    const checkins = await fill(PLACES - most, checkin)
    const last = await checkin(PLACES)
    expect([last.status, last.headers.get('retry-after')]).toEqual([503, '1'])

    letGo()
    const answers = await Promise.all([...reads, ...more, ...checkins])
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
    expect((await call('/admin/clusters', owner)).status).toBe(200)
  })

  test('takes no place from any other service', async () => {
    hold('tracking')
    const checkins = await fill(PLACES, checkin)
    expect((await call('/user/U1')).status).toBe(200)
    expect((await call('/og/U1.png')).status).toBe(200)
    letGo()
    await Promise.all(checkins)
  })
})
