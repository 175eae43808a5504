import { expect, setDefaultTimeout, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { until } from '@palanquin/testing/until'
import { type MapProcess, TOKEN, untilFlushed } from '../../test/harness.ts'
import { mapHarness } from '../../test/map-harness.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

const CARRIERS = ['carrier-1', 'carrier-2', 'carrier-3']
const { opened, data, checkin, startMap } = mapHarness({
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
/** Everybody in the organisers' clusters. */
const clustered = async (tier: string): Promise<number> => {
  const { body } = await opened().map.get('/admin/clusters', { 'x-internal-tier': tier })
  const { clusters } = body.data as { clusters: { count: number }[] }
  return clusters.reduce((sum, { count }) => sum + count, 0)
}
type Line = { geometry: { coordinates: number[][] } | null; properties: { times: number[] } }
const trailOf = async (id: string, query = '', from = opened().map): Promise<Line> => {
  const { body } = await from.get(`/beacons/${id}/trail${query}`)
  return body as unknown as Line
}
const BODY = { kind: 'palanquin', name: { zh: '鑾轎', en: 'Palanquin' }, devices: ['carrier-1', 'carrier-2'] }

test('a beacon is where its carrier is; its devices leave the crowd, and come back to it when they no longer carry', async () => {
  for (const userId of [...CARRIERS, 'pilgrim']) await checkin(userId, 24.5663, 120.7081, { accuracy: 6 })
  await until(async () => (await data()).total === 4, { what: 'everybody on the map' })
  expect(await clustered('1')).toBe(4)
  const added = await admin('POST', '/admin/beacons', BODY)
  expect(added.status).toBe(201)
  await until(async () => (await data()).total === 2, { what: 'the devices gone from the crowd' })
  for (const tier of ['1', '2']) expect(await clustered(tier)).toBe(2)
  expect(await beacons()).toEqual([])
  await checkin('carrier-1', 24.5664, 120.7081, { accuracy: 6 })
  const palanquin = await until(async () => (await beacons())[0], { what: 'the beacon where its carrier is' })
  expect(palanquin).toMatchObject({
    kind: 'palanquin',
    lat: 24.5664,
    accuracyM: 6,
    place: { town: { zh: '通霄鎮' } },
  })

  await checkin('carrier-1', 24.567, 120.7081, { accuracy: 6 })
  await until(async () => (await beacons())[0]?.lat === 24.567, {
    what: 'the beacon where its carrier is now',
  })
  const { id } = added.body.data
  await until(async () => (await trailOf(id)).geometry?.coordinates.at(-1)?.[1] === 24.567, {
    what: 'its trail',
  })

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

test('a sync of 60 points is the trail within seconds, flush or not, also of a process that starts then', async () => {
  const id = randomUUID()
  const startMs = Date.now() - 300_000
  await opened().given.sql.begin(async (sql) => {
    await sql`INSERT INTO tracking.beacons (id, kind, name_zh, name_en) VALUES (${id}, 'palanquin', '鑾轎', 'Palanquin')`
    await sql`INSERT INTO tracking.beacon_devices VALUES ('carrier-3', ${id}, ${new Date(startMs)})`
  })
  for (const from of [opened().map, opened().other])
    await until(async () => (await from.get(`/beacons/${id}/trail`)).status === 200, { what: 'the beacon' })
  const points = Array.from({ length: 60 }, (_, n) => ({
    lat: 24.8 + (n % 2) * 0.001,
    lng: 120.7 + n * 0.001,
    recordedAt: startMs + n * 4_000,
    accuracy: 6,
  }))
  const { status } = await opened().service.post('/track/sync', { userId: 'carrier-3', points })
  expect(status).toBe(200)
  const late = await startMap()
  for (const from of [opened().map, opened().other, late])
    await until(async () => (await trailOf(id, '', from)).properties.times.length > 45, {
      what: 'the way of 60 points',
    })
  await late.close()
  expect((await admin('DELETE', `/admin/beacons/${id}`)).status).toBe(200)
})

test('where a device was before it was given to a beacon is in no public answer', async () => {
  const { given, service, map, other } = opened()
  const HOME = { lat: 23.123456, lng: 120.654321 }
  const isHome = /23\.?12345|120\.?65432/
  const userId = 'volunteer'
  const recordedAt = Date.now() - 30_000
  await given.sql`INSERT INTO engagement.participants (user_id, consent) VALUES (${userId}, false)`
  await service.post('/track/sync', { userId, points: [{ ...HOME, recordedAt, accuracy: 5 }] })
  await untilFlushed(service)
  // The clock of a phone may be ahead: such a fix is of before all the same.
  for (const ahead of [10_000, 270_000])
    await service.post('/track/sync', {
      userId,
      points: [{ ...HOME, recordedAt: recordedAt + ahead, accuracy: 5 }],
    })
  const { id } = (await admin('POST', '/admin/beacons', { ...BODY, devices: [userId] })).body.data
  /** Every public read of the map process. */
  const shown = async (from: MapProcess) =>
    Promise.all(
      [
        ...[
          '/data',
          '/data?format=geojson',
          '/data?format=columns',
          '/data?bbox=120,23,121,24',
          '/data?limit=100',
        ],
        ...[
          '/beacons',
          `/beacons/${id}/trail`,
          `/beacons/${id}/trail?since=2020-01-01T00:00:00Z`,
          '/density',
        ],
      ].map(async (path) => JSON.stringify((await from.get(path)).body)),
    )
  const check = async () => {
    const restarted = await startMap()
    for (const from of [map, other, restarted]) {
      await until(async () => (await from.get(`/beacons/${id}/trail`)).status === 200, { what: 'the beacon' })
      for (const answer of await shown(from)) expect(answer).not.toMatch(isHome)
    }
    await restarted.close()
  }
  await check()
  // What the phone kept and sends late is of before, too.
  await service.post('/track/sync', {
    userId,
    points: [{ ...HOME, recordedAt: recordedAt + 20_000, accuracy: 5 }],
  })
  await checkin(userId, 23.2, 120.7, { accuracy: 5 })
  for (const from of [map, other])
    await until(async () => JSON.stringify((await from.get('/beacons')).body).includes('23.2'), {
      what: 'its way',
    })
  await check()
  await untilFlushed(service)
  await given.sql`UPDATE tracking.tracks SET needs_rebuild = true WHERE user_id = ${userId}`
  await untilFlushed(service)
  await check()
  expect((await trailOf(id)).properties.times.every((at) => at > recordedAt + 20_000)).toBe(true)
  expect((await admin('DELETE', `/admin/beacons/${id}`)).status).toBe(200)
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

test('what a beacon has no field for is neither kept nor shown', async () => {
  const unknown = { unknown: 1 }
  const added = await admin('POST', '/admin/beacons', {
    ...BODY,
    ...unknown,
    name: { ...BODY.name, ...unknown },
  })
  const path = `/admin/beacons/${added.body.data.id}`
  const changed = await admin('PATCH', path, { ...unknown, name: { zh: '車', en: 'Car', ...unknown } })
  const listed = await admin('GET', '/admin/beacons')
  for (const { status, body } of [added, changed, listed]) {
    expect(status).toBeLessThan(300)
    expect(JSON.stringify(body)).not.toContain('unknown')
  }
  expect((await admin('DELETE', path)).status).toBe(200)
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
