import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { connectDatabase, type Database } from '@palanquin/db/client'
import { distanceKm, inOrder, trackOf } from '@palanquin/domain/distance'
import { DEFAULT_SOURCES, type Point } from '@palanquin/domain/point'
import { judgePoint } from '@palanquin/domain/point/judge'
import { toIso } from '@palanquin/domain/time'
import { createLog } from '@palanquin/service/log'
import { anyTrack } from '@palanquin/testing/arbitrary'
import { type TestDatabase, testDatabase } from '@palanquin/testing/postgres'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { walk } from '@palanquin/testing/walk'
import fc from 'fast-check'
import { asGateway, bareApp } from '../../test/bare-app.ts'
import { packRows } from '../../test/pack-rows.ts'
import {
  gpxPointsOf,
  lengthKm,
  pointsOf,
  segmentsOf,
  type TrackFeature,
  timesOf,
} from '../../test/track-documents.ts'
import { participantTrackRoutes } from './route.ts'
import type { TrackPoint } from './store.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

const START = Date.UTC(2026, 4, 1, 12)
const MINUTE_MS = 60_000
const log = createLog({ service: 'test', level: 'silent' })
let database: TestDatabase
let db: Database
let get: (path: string, guard?: 'on' | 'off') => Promise<Response>

beforeAll(async () => {
  database = await testDatabase()
  db = connectDatabase({ url: database.url, name: 'track', log, deadlineMs: TEST_TIMEOUT_MS })
  const live = { has: (userId: string) => userId === 'just-arrived' }
  const appOf = (driftGuard: boolean) =>
    bareApp(log).use(
      participantTrackRoutes({ db, live, readBuffered: async () => [], driftGuard, log, now: () => START }),
    )
  const apps = { off: appOf(false), on: appOf(true) }
  get = async (path, guard = 'off') => apps[guard].handle(asGateway(`/admin/users/${path}`))
  await db.query(
    "SELECT tracking.ensure_points_partition(day::date) FROM generate_series('2026-05-01'::timestamptz, '2026-05-03', '1 day') AS day",
  )
  await db.query("INSERT INTO engagement.participants (user_id) VALUES ('profile-only')")
  await store('hiker', HIKE)
  await store('odd', ODD)
  await store('rider', RIDE)
  // Every other hour is packed: tracks are read from both forms.
  await packRows(db, "date_part('hour', recorded_at)::integer % 2 = 0")
})
afterAll(async () => {
  await db.close()
  await database.close()
})

const store = (userId: string, points: readonly TrackPoint[]) =>
  db.query(
    `WITH known AS (INSERT INTO engagement.participants (user_id) VALUES ($1))
     INSERT INTO tracking.points (user_id, recorded_at, kind, lat, lng, accuracy, speed, altitude, source, note, received_at)
     SELECT $1, "recordedAt", CASE kind WHEN 'checkin' THEN 0 ELSE 1 END, lat, lng, accuracy, speed, altitude, source, note, now()
       FROM json_to_recordset($2::text::json) AS point("recordedAt" timestamptz, kind text, lat double precision,
         lng double precision, accuracy double precision, speed double precision, altitude real, source text, note text)`,
    [userId, JSON.stringify(points.map((point) => ({ ...point, recordedAt: toIso(point.recordedAt) })))],
  )

const pointAt = (minute: number, over: Partial<TrackPoint> = {}): TrackPoint => ({
  kind: 'track',
  recordedAt: START + minute * MINUTE_MS,
  lat: 24 + minute / 1000,
  lng: 120.6,
  accuracy: 5,
  speed: 4,
  altitude: null,
  heading: null,
  source: 'auto',
  note: null,
  ...over,
})
/** 24 hours of a phone: rests, tunnels, false fixes, a ride, silences; and more than one page of points. */
const HIKE: TrackPoint[] = walk({
  seed: 5,
  startMs: START,
  hours: 24,
  stops: 2,
  gaps: 3,
  tunnels: 2,
  falseFixes: 4,
  rides: 1,
}).points.map((point) => ({
  ...point,
  altitude: point.altitude === null ? null : Math.fround(point.altitude),
  note: null,
}))
/** A phone that reports every twenty minutes of a ride of 280 km. */
const RIDE: TrackPoint[] = Array.from({ length: 9 }, (_, i) => pointAt(i * 20, { lat: 22 + i * 0.315 }))
/** A silence, a check-in with a note that XML and JSON must escape, and places at the limits of the formats. */
const ODD: TrackPoint[] = [
  pointAt(0, { altitude: 20.5 }),
  pointAt(1, { kind: 'checkin', note: 'a "<b>" & c’s 媽祖 \uFFFF\n' }),
  pointAt(2),
  pointAt(18, { kind: 'checkin' }),
  pointAt(60, { lat: 0.0000001, lng: 180 }),
  pointAt(61, { lat: 0, lng: 179.9999 }),
  pointAt(120),
]

const geojson = async (path: string, guard?: 'on' | 'off'): Promise<TrackFeature[]> => {
  const { features } = (await (await get(path, guard)).json()) as { features: TrackFeature[] }
  return features
}
const gpx = async (path: string, guard?: 'on' | 'off') => segmentsOf(await (await get(path, guard)).text())
const linesOf = (features: readonly TrackFeature[]): number[][][] =>
  features.flatMap(({ geometry }) => (geometry.type === 'LineString' ? [geometry.coordinates] : []))
const gpxLinesOf = (segments: Awaited<ReturnType<typeof gpx>>): number[][][] =>
  segments.map((points) => points.map(({ attributes }) => [Number(attributes.lon), Number(attributes.lat)]))

/** The kilometres of an export whose points are sent in again by a sync. */
function importedKm(given: readonly { kind?: string | undefined }[]): number {
  const points = given.flatMap((input) => {
    const kind = input.kind === 'checkin' ? 'checkin' : 'track'
    const verdict = judgePoint(input, {
      now: START + 10 * 86_400_000,
      sources: DEFAULT_SOURCES,
      defaultSource: 'auto',
      kind,
    })
    return 'point' in verdict ? [verdict.point] : []
  })
  expect(points).toHaveLength(given.length)
  return distanceKm(trackOf(points))
}
const timeOf = (points: readonly Point[]) => points.map(({ recordedAt }) => toIso(recordedAt))

test('GeoJSON has every stored point once, in lines that end where the phone was silent, with the times of each position', async () => {
  const features = await geojson('hiker/track')
  expect(pointsOf(features)).toEqual(
    HIKE.map(({ lat, lng, kind, recordedAt, accuracy, speed, source }) => ({
      lat,
      lng,
      kind,
      recordedAt: toIso(recordedAt),
      accuracy,
      speed,
      source,
    })),
  )
  const lone = HIKE.length - timesOf(features).length
  expect(lone).toBeLessThan(5)
  for (const { geometry, properties } of features) {
    if (geometry.type !== 'LineString') continue
    const times = (properties.coordTimes ?? []).map((time) => Date.parse(time))
    expect(times).toHaveLength(geometry.coordinates.length)
    expect(times.length).toBeGreaterThan(1)
    expect(times.every((time, at) => at === 0 || time - (times[at - 1] ?? 0) <= 15 * MINUTE_MS)).toBe(true)
  }
  const [first] = features
  expect(first?.geometry.coordinates[0]).toEqual([
    HIKE[0]?.lng ?? 0,
    HIKE[0]?.lat ?? 0,
    expect.closeTo(HIKE[0]?.altitude ?? 0, 3),
  ])
})

test('every point is a feature after its line with all measurements; a part of one position is a point alone', async () => {
  const features = await geojson('odd/track?format=geojson')
  expect(features.map(({ geometry, properties }) => `${geometry.type} ${properties.kind}`)).toEqual([
    ...['LineString track', 'Point track', 'Point checkin', 'Point track'],
    'Point checkin',
    ...['LineString track', 'Point track', 'Point track'],
    'Point track',
  ])
  expect(features[2]?.properties).toMatchObject({
    note: 'a "<b>" & c’s 媽祖 \uFFFF\n',
    accuracy: 5,
    speed: 4,
  })
  expect(features[0]?.geometry.coordinates).toEqual([
    [120.6, 24, 20.5],
    [120.6, 24.001],
    [120.6, 24.002],
  ])
})

test('GPX is valid GPX 1.1, with a segment for each part and every stored point', async () => {
  const segments = await gpx('hiker/track?format=gpx')
  const points = segments.flat()
  expect(points.map(({ children }) => children.find(({ name }) => name === 'time')?.text)).toEqual(
    timeOf(HIKE),
  )
  expect(points.map(({ attributes }) => [Number(attributes.lat), Number(attributes.lon)])).toEqual(
    HIKE.map(({ lat, lng }) => [lat, lng]),
  )
  const odd = await gpx('odd/track?format=gpx')
  expect(odd.map((segment) => segment.length)).toEqual([3, 1, 2, 1])
  expect(odd[0]?.[1]?.children.find(({ name }) => name === 'desc')?.text).toBe('a "<b>" & c’s 媽祖 \n')
  expect(odd[2]?.[0]?.attributes).toEqual({ lat: '0.000000100000', lon: '-180' })
})

test('an export that is sent in again has the same kilometres, in either format', async () => {
  const km = distanceKm(trackOf(HIKE))
  expect(importedKm(pointsOf(await geojson('hiker/track')))).toBe(km)
  expect(importedKm(gpxPointsOf(await gpx('hiker/track?format=gpx')))).toBe(km)
})

test('filtered, the lines are as long as the distance: silences that count are bridged', async () => {
  const km = distanceKm(trackOf(HIKE))
  const features = await geojson('hiker/track?filtered=true')
  expect(lengthKm(linesOf(features))).toBeCloseTo(km, 6)
  expect(lengthKm(gpxLinesOf(await gpx('hiker/track?format=gpx&filtered=true')))).toBeCloseTo(km, 6)
  const times = timesOf(features).map((time) => Date.parse(time))
  expect(times.length).toBeLessThan(HIKE.length)
  const ride = await geojson('rider/track?filtered=true')
  expect(lengthKm(linesOf(ride))).toBeCloseTo(distanceKm(trackOf(RIDE)), 6)
  expect([linesOf(ride).length, linesOf(await geojson('rider/track')).length]).toEqual([1, 0])
  const [from = 0, to = 0] = [times[100], times[200]]
  expect(timesOf(await geojson(`hiker/track?filtered=true&from=${from}&to=${to}`))).toEqual(
    times.slice(100, 201).map(toIso),
  )
})

test('any track: its export has the same kilometres again, and its filtered lines are as long, with the drift guard too', async () => {
  let users = 0
  await fc.assert(
    fc.asyncProperty(anyTrack({ maxLength: 60, startMs: START }), async (points) => {
      const userId = `any-${users++}`
      const stored = inOrder(points, (point) => point)
      await store(
        userId,
        stored.map((point) => ({ ...point, note: null })),
      )
      const km = distanceKm(trackOf(points))
      expect(importedKm(pointsOf(await geojson(`${userId}/track`)))).toBe(km)
      expect(importedKm(gpxPointsOf(await gpx(`${userId}/track?format=gpx`)))).toBe(km)
      for (const guard of ['off', 'on'] as const) {
        const counted = distanceKm(trackOf(points, { driftGuard: guard === 'on' }))
        const path = `${userId}/track?filtered=true`
        expect(lengthKm(linesOf(await geojson(path, guard)))).toBeCloseTo(counted, 6)
        expect(lengthKm(gpxLinesOf(await gpx(`${path}&format=gpx`, guard)))).toBeCloseTo(counted, 6)
      }
    }),
    { seed: 33, numRuns: 60 },
  )
})

test('from and to are inclusive, in any notation of an instant', async () => {
  for (const range of [
    `from=${START + MINUTE_MS}&to=${START + 60 * MINUTE_MS}`,
    'from=2026-05-01T12:01:00Z&to=2026-05-01T21:00:00%2B08:00',
    'from=2026-05-01T20:01:00+08:00&to=2026-05-01T13:00:00.000Z',
  ])
    expect((await gpx(`odd/track?format=gpx&${range}`)).flat()).toHaveLength(4)
})

test('a known participant without points has an empty, valid document; an unknown one is 404', async () => {
  for (const known of ['profile-only', 'just-arrived', 'hiker']) {
    const range = 'from=2026-05-03T00:00:00Z'
    expect(await geojson(`${known}/track?${range}`)).toEqual([])
    expect(await gpx(`${known}/track?format=gpx&${range}&filtered=true`)).toEqual([])
  }
  expect((await get('unknown/track')).status).toBe(404)
})

test('an invalid parameter is a 400 that names it', async () => {
  for (const [query, named] of [
    ['from=yesterday', 'from:'],
    ['to=2026-05-01', 'to:'],
    ['from=2&to=1', 'from:'],
    ['format=kml', 'format:'],
    ['filtered=perhaps', 'filtered:'],
  ] as const) {
    const response = await get(`hiker/track?${query}`)
    expect({ query, status: response.status }).toEqual({ query, status: 400 })
    expect(((await response.json()) as { error: string }).error).toStartWith(named)
  }
})

test('the document is a download with a file name, and is not cached', async () => {
  const { headers } = await get('odd/track?format=gpx')
  expect(headers.get('content-type')).toBe('application/gpx+xml; charset=utf-8')
  expect(headers.get('content-disposition')).toBe('attachment; filename="track-odd.gpx"')
  expect(headers.get('cache-control')).toBe('no-store')
  expect((await get('odd/track')).headers.get('content-disposition')).toBe(
    'attachment; filename="track-odd.geojson"',
  )
})
