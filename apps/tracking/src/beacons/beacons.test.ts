import { expect, setDefaultTimeout, test } from 'bun:test'
import { connectDatabase } from '@palanquin/db/client'
import { createLog } from '@palanquin/service/log'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { until } from '@palanquin/testing/until'
import { TOKEN, untilFlushed } from '../../test/harness.ts'
import { mapHarness } from '../../test/map-harness.ts'
import { beaconStore } from './store.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

const CARRIERS = ['carrier-1', 'carrier-2', 'carrier-3']
const { opened, data, checkin } = mapHarness({
  prepare: async ({ sql }) => {
    for (const userId of [...CARRIERS, 'pilgrim'])
      await sql`INSERT INTO engagement.participants (user_id, consent) VALUES (${userId}, true)`
  },
})
type Beacon = {
  id: string
  kind: string
  lat: number
  recordedAt: string
  accuracyM: number | null
  place: { town: { zh: string } } | null
}

const admin = async (method: string, path: string, body?: object, tier = 2) => {
  const headers = {
    'x-internal-token': TOKEN,
    'x-internal-tier': String(tier),
    'content-type': 'application/json',
  }
  const request = new Request(`http://tracking${path}`, {
    method,
    headers,
    ...(body ? { body: JSON.stringify(body) } : {}),
  })
  const response = await opened().service.app.fetch(request)
  return {
    status: response.status,
    body: (await response.json()) as { data: Beacon & { devices: string[] }; error: string },
  }
}
const beacons = async (): Promise<Beacon[]> => (await opened().map.get('/beacons')).body.data as Beacon[]
const BODY = { kind: 'palanquin', name: { zh: '鑾轎', en: 'Palanquin' }, devices: ['carrier-1', 'carrier-2'] }

test('a beacon is where its carrier is; its devices leave the crowd, and come back to it when they no longer carry', async () => {
  for (const userId of [...CARRIERS, 'pilgrim']) await checkin(userId, 24.5663, 120.7081, { accuracy: 6 })
  await until(async () => (await data()).total === 4, { what: 'everybody on the map' })
  const added = await admin('POST', '/admin/beacons', BODY)
  expect(added.status).toBe(201)
  await until(async () => (await data()).total === 2, { what: 'the devices gone from the crowd' })
  const [palanquin] = await beacons()
  expect(palanquin).toMatchObject({
    kind: 'palanquin',
    lat: 24.5663,
    accuracyM: 6,
    place: { town: { zh: '通霄鎮' } },
  })

  await checkin('carrier-1', 24.567, 120.7081, { accuracy: 6 })
  await until(async () => (await beacons())[0]?.lat === 24.567, {
    what: 'the beacon where its carrier is now',
  })
  const { id } = added.body.data
  const trail = await opened().map.get(`/beacons/${id}/trail`)
  expect(
    (trail.body as unknown as { geometry: { coordinates: number[][] } }).geometry.coordinates.at(-1),
  ).toEqual([120.7081, 24.567])

  expect(
    (await admin('PATCH', `/admin/beacons/${id}`, { devices: ['carrier-3'] })).body.data.devices,
  ).toEqual(['carrier-3'])
  await until(async () => (await data()).total === 3, { what: 'one device carries, two are people again' })
  expect((await admin('DELETE', `/admin/beacons/${id}`)).status).toBe(200)
  await until(async () => (await data()).total === 4 && (await beacons()).length === 0, { what: 'no beacon' })
})

test('what a device sent while it carried is no figure, draws the trail, and stays apart once it carries no more', async () => {
  const { given, service } = opened()
  for (const lat of [24.6, 24.61]) await checkin('carrier-1', lat, 120.7, { accuracy: 6 })
  await untilFlushed(service)
  const counted = async () =>
    (await given.sql`SELECT points FROM tracking.tracks WHERE user_id = 'carrier-1'`)[0]?.points
  const before = await counted()
  const { id } = (await admin('POST', '/admin/beacons', BODY)).body.data
  for (const lat of [24.62, 24.63]) await checkin('carrier-1', lat, 120.7, { accuracy: 6 })
  await untilFlushed(service)
  expect(await counted()).toBe(before)
  const apart = () =>
    given.sql`SELECT lat FROM tracking.carried_points WHERE user_id = 'carrier-1' AND lat > 24.6 ORDER BY lat`
  expect([...(await apart())]).toEqual([{ lat: 24.62 }, { lat: 24.63 }])
  const log = createLog({ service: 'test', level: 'silent' })
  const db = connectDatabase({ url: given.database.url, name: 'beacons', log, deadlineMs: TEST_TIMEOUT_MS })
  const stored = await beaconStore(db).fixesSince(['carrier-1'], new Date(Date.now() - 60_000))
  await db.close()
  expect(stored.slice(-4).map(({ lat }) => lat)).toEqual([24.6, 24.61, 24.62, 24.63])

  expect((await admin('PATCH', `/admin/beacons/${id}`, { devices: ['carrier-2'] })).status).toBe(200)
  await checkin('carrier-1', 24.64, 120.7, { accuracy: 6 })
  expect((await admin('DELETE', `/admin/beacons/${id}`)).status).toBe(200)
  await checkin('carrier-2', 24.65, 120.7, { accuracy: 6 })
  await untilFlushed(service)
  expect(await counted()).toBe(before + 1)
  expect(await apart()).toHaveLength(2)
  const spans = await given.sql`
    SELECT user_id, until > since AS is_over FROM tracking.carried_spans WHERE until > now() - interval '1 minute'
     ORDER BY until DESC, user_id LIMIT 2`
  expect([...spans]).toEqual([
    { user_id: 'carrier-2', is_over: true },
    { user_id: 'carrier-1', is_over: true },
  ])
  expect(await given.sql`SELECT FROM tracking.carrying WHERE until IS NULL`).toHaveLength(0)
})

test('a fix that was flushed before the map read it from the stream shows', async () => {
  const { id } = (await admin('POST', '/admin/beacons', BODY)).body.data
  await checkin('carrier-1', 24.7, 120.7, { accuracy: 6 })
  await until(async () => (await beacons())[0]?.lat === 24.7, { what: 'the beacon where its carrier is' })
  await opened().given.sql`
    INSERT INTO tracking.carried_points (user_id, recorded_at, kind, lat, lng, accuracy, source, received_at)
    VALUES ('carrier-1', now() + interval '1 second', 1, 24.71, 120.7, 6, 'test', now())`
  await until(async () => (await beacons())[0]?.lat === 24.71, { what: 'the beacon at the flushed fix' })
  expect((await admin('DELETE', `/admin/beacons/${id}`)).status).toBe(200)
})

test('a device carries one beacon at most: 409 names it, and nothing changes', async () => {
  const first = await admin('POST', '/admin/beacons', BODY)
  const taken = await admin('POST', '/admin/beacons', { ...BODY, devices: ['pilgrim', 'carrier-2'] })
  expect([taken.status, taken.body.error]).toEqual([
    409,
    'devices: carrier-2 carries another beacon already; take it away there first.',
  ])
  const second = await admin('POST', '/admin/beacons', { ...BODY, kind: 'rear', devices: ['pilgrim'] })
  const moved = await admin('PATCH', `/admin/beacons/${second.body.data.id}`, { devices: ['carrier-1'] })
  expect(moved.status).toBe(409)
  for (const { body } of [first, second]) await admin('DELETE', `/admin/beacons/${body.data.id}`)
})

test.each([
  [{ ...BODY, devices: [] }, 'devices'],
  [{ ...BODY, kind: 'car' }, 'kind'],
  [{ ...BODY, name: { zh: '鑾轎' } }, 'name'],
  [{ ...BODY, devices: ['no id!'] }, 'devices'],
])('%j is no beacon: 400 names the field', async (body, field) => {
  const { status, body: answer } = await admin('POST', '/admin/beacons', body)
  expect([status, answer.error.startsWith(field)]).toEqual([400, true])
})

test('a volunteer does not write, and an unknown beacon is 404', async () => {
  expect((await admin('POST', '/admin/beacons', BODY, 1)).status).toBe(403)
  expect((await admin('DELETE', '/admin/beacons/none')).status).toBe(404)
  expect((await opened().map.get('/beacons/none/trail')).status).toBe(404)
})
