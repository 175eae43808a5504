import { expect, setDefaultTimeout, test } from 'bun:test'
import { shardOf } from '@palanquin/domain/ids'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { until } from '@palanquin/testing/until'
import { asGateway } from '../../test/bare-app.ts'
import { mapHarness } from '../../test/map-harness.ts'
import { gpxPointsOf, pointsOf, segmentsOf, type TrackFeature } from '../../test/track-documents.ts'
import { pointsKey } from '../buffer/keys.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

const { opened, checkin, data } = mapHarness({
  prepare: async ({ sql }) => {
    await sql`INSERT INTO engagement.participants (user_id, consent) VALUES ('owner-of-it', true), ('other', true)`
  },
})

const MINUTE_MS = 60_000
const NOW = Date.now()
const points = (from: number, count: number) =>
  Array.from({ length: count }, (_, at) => ({
    lat: 24 + (from + at) / 1000,
    lng: 120.6,
    accuracy: 7,
    speed: 4,
    altitude: 30,
    heading: 90,
    battery: 61.6,
    recordedAt: NOW - (30 - from - at) * MINUTE_MS,
  }))
const sync = (given: object[]) =>
  opened().service.post('/track/sync', { userId: 'owner-of-it', source: 'web', points: given })
const flush = () => opened().service.post('/internal/flush')
const own = (path: string, as = 'owner-of-it') => {
  const request = asGateway(path)
  request.headers.set('x-internal-user', as)
  return opened().map.app.handle(request)
}
const features = async (path = '/user/owner-of-it/track') =>
  ((await (await own(path)).json()) as { features: TrackFeature[] }).features
const kept = async (query = '') =>
  (await (await own(`/internal/points/owner-of-it${query}`)).json()) as Record<string, unknown>[]

test('my track has stored and buffered points once, in order, before and after the flush', async () => {
  await sync(points(0, 5))
  expect((await flush()).status).toBe(200)
  // An earlier point comes before the stored ones.
  await sync([...points(-3, 1), ...points(5, 5)])
  await checkin('owner-of-it', 24.5, 120.6, { note: '到了', accuracy: 9 })
  await until(async () => (await data()).total === 1, { what: 'the check-in to be buffered' })
  await until(async () => pointsOf(await features()).length === 12, { what: 'the check-in in the track' })
  const before = await features()
  const times = pointsOf(before).map(({ recordedAt }) => String(recordedAt))
  expect(times).toEqual(times.toSorted())
  expect(times[0]).toBe(new Date(NOW - 33 * MINUTE_MS).toISOString())
  expect((await flush()).status).toBe(200)
  expect(await features()).toEqual(before)
  const gpx = await own('/user/owner-of-it/track?format=gpx')
  const text = await gpx.text()
  expect(gpxPointsOf(segmentsOf(text))).toHaveLength(12)
  expect(text).not.toContain('owner-of-it')
  expect(gpx.headers.get('content-disposition')).toBe('attachment; filename="track.gpx"')
  expect(gpx.headers.get('cache-control')).toBe('no-store')
})

test('on a crowded day my track is as of the last flush, for a bounded price, and my export has everything', async () => {
  const { redis } = opened().given
  const key = pointsKey(shardOf('owner-of-it'))
  await sync(points(20, 1))
  await until(async () => pointsOf(await features()).length === 13, { what: 'the point in the track' })
  const fields = { k: 't', s: 'auto', r: String(NOW), n: '1', p: 'never read' }
  const crowd = Array.from({ length: 600 }, (_, n) => redis.xAdd(key, '*', { u: `other-${n}`, ...fields }))
  const added = await Promise.all(crowd)
  expect(pointsOf(await features())).toHaveLength(12)
  expect(await kept()).toHaveLength(13)
  for (const id of added) await redis.send(key, ['XDEL', key, String(id)])
  expect(pointsOf(await features())).toHaveLength(13)
  expect((await flush()).status).toBe(200)
  expect(pointsOf(await features())).toHaveLength(13)
})

test('a browser gets the same track compressed', async () => {
  const plain = await own('/user/owner-of-it/track')
  expect(plain.headers.get('content-encoding')).toBeNull()
  const request = asGateway('/user/owner-of-it/track')
  request.headers.set('x-internal-user', 'owner-of-it')
  request.headers.set('accept-encoding', 'gzip, deflate, br')
  const compressed = await opened().map.app.handle(request)
  expect(compressed.headers.get('content-encoding')).toBe('gzip')
  for (const name of ['content-type', 'content-disposition', 'cache-control', 'vary'])
    expect(compressed.headers.get(name)).toBe(plain.headers.get(name))
  const text = new TextDecoder().decode(Bun.gunzipSync(await compressed.arrayBuffer()))
  expect(JSON.parse(text)).toEqual(await plain.json())
})

test('every field of a kept point is exported, and check-ins with their notes', async () => {
  const all = await kept()
  expect(all).toHaveLength(13)
  expect(all[0]).toEqual({
    recordedAt: new Date(NOW - 33 * MINUTE_MS).toISOString(),
    receivedAt: expect.any(String),
    kind: 'track',
    lat: 23.997,
    lng: 120.6,
    accuracy: 7,
    speed: 4,
    altitude: 30,
    heading: 90,
    source: 'web',
    note: null,
    carriesBeacon: false,
    battery: 62,
  })
  expect(await kept('?kind=checkin')).toEqual([
    expect.objectContaining({ kind: 'checkin', note: '到了', accuracy: 9, source: 'checkin' }),
  ])
})

test('points of a device that carries a beacon are exported and marked', async () => {
  const { sql } = opened().given
  await sql`INSERT INTO tracking.carried_points (user_id, recorded_at, kind, lat, lng, source, received_at)
            VALUES ('owner-of-it', now(), 1, 24, 120, 'web', now())`
  const all = await kept()
  expect(all.filter(({ carriesBeacon }) => carriesBeacon)).toHaveLength(1)
  await sql`DELETE FROM tracking.carried_points`
})

test('a track is for its own participant alone', async () => {
  for (const as of ['other', '']) expect((await own('/user/owner-of-it/track', as)).status).toBe(403)
  expect((await own('/user/unknown/track', 'unknown')).status).toBe(404)
})
