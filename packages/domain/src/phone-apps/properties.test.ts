import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { PHONE_APPS, phoneApp, replyOf } from '../phone-apps'
import { judgePoint } from '../point/judge'

const SEED = { seed: 20_261_122, numRuns: 2_000 }
const apps = fc.constantFrom(...PHONE_APPS)
const NAMES = [
  ...['lat', 'lon', 'latitude', 'longitude', 'tst', 'time', 'timestamp', 'speed', 'vel', 'spd', 'acc'],
  ...['accuracy', 'hdop', 'alt', 'bearing', 'batt', 'battery', 'action', '_type', 'gprmc', 'location'],
  ...['coords', 'locations', 'points', 'geometry', 'properties', 'coordinates', 'type', '__proto__'],
]
const texts = fc.oneof(
  fc.constantFrom('location', 'addpos', 'Feature', 'Point', 'NaN', '-Infinity', '', '1e400', '12.5', '-1'),
  fc.string({ maxLength: 20 }),
)
const values = fc.letrec((tie) => ({
  any: fc.oneof(
    { depthSize: 'small' },
    fc.double(),
    fc.integer({ min: -200, max: 2_000_000_000 }),
    texts,
    fc.constant(null),
    fc.array(tie('any'), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom(...NAMES), tie('any'), { maxKeys: 8 }),
  ),
})).any
const requests = fc.record({
  fields: fc
    .dictionary(fc.constantFrom(...NAMES), texts, { maxKeys: 10 })
    .map((o) => new Map(Object.entries(o))),
  json: fc.option(values, { nil: undefined }),
})

test('whatever is sent, no decoder throws, and every point has a place, finite numbers and a known time', () => {
  fc.assert(
    fc.property(apps, requests, (app, request) => {
      const reading = phoneApp(app).read(request)
      for (const point of reading.points) {
        expect(Math.abs(point.lat)).toBeLessThanOrEqual(90)
        expect(Math.abs(point.lng)).toBeLessThanOrEqual(180)
        for (const value of Object.values(point)) expect(Number.isFinite(value)).toBe(true)
        expect(point.accuracy ?? 1).toBeGreaterThan(0)
        expect(point.speed ?? 0).toBeGreaterThanOrEqual(0)
        expect(point.heading ?? 0).toBeLessThanOrEqual(360)
      }
      expect(reading.battery ?? 0).toBeWithin(0, 101)
    }),
    SEED,
  )
})

test('what is read is judged as a point of a sync, and taken where its speed and time can be', () => {
  const now = Date.parse('2026-04-13T02:15:00Z')
  const fixes = fc.record({
    lat: fc.double({ min: -90, max: 90, noNaN: true }),
    lon: fc.double({ min: -180, max: 180, noNaN: true }),
    tst: fc.integer({ min: now / 1_000 - 29 * 86_400, max: now / 1_000 + 299 }),
    acc: fc.oneof(fc.integer({ min: -1, max: 5_000 }), fc.constant(Number.NaN)),
    vel: fc.integer({ min: -1, max: 400 }),
    cog: fc.integer({ min: -1, max: 360 }),
    alt: fc.double(),
  })
  fc.assert(
    fc.property(fixes, (fix) => {
      const { points } = phoneApp('owntracks').read({
        fields: new Map(),
        json: { _type: 'location', ...fix },
      })
      const judging = { now, sources: ['owntracks'], defaultSource: 'owntracks', kind: 'track' } as const
      expect(points).toHaveLength(1)
      expect(judgePoint(points[0], judging)).toHaveProperty('point')
    }),
    SEED,
  )
})

test('the same fix is the same point, whichever units an app sends it in', () => {
  const kmh = fc.integer({ min: 0, max: 3_000 }).map((tenths) => tenths / 10)
  const time = 1_775_980_800
  fc.assert(
    fc.property(kmh, (speed) => {
      const place = { lat: 24, lon: 120.5 }
      const fields = (unit: number) =>
        new Map(
          Object.entries({ lat: '24', lon: '120.5', timestamp: String(time), speed: String(speed / unit) }),
        )
      const read = [
        phoneApp('owntracks').read({
          fields: new Map(),
          json: { _type: 'location', ...place, tst: time, vel: speed },
        }),
        phoneApp('colota').read({ fields: new Map(), json: { ...place, tst: time, vel: speed / 3.6 } }),
        phoneApp('traccar').read({ fields: fields(1.852), json: undefined }),
        phoneApp('osmand').read({ fields: fields(3.6), json: undefined }),
      ]
      for (const { points } of read) {
        expect(points[0]).toMatchObject({ lat: 24, lng: 120.5, recordedAt: time * 1_000 })
        expect(points[0]?.speed).toBeCloseTo(speed, 6)
      }
    }),
    SEED,
  )
})

test('no app ever gets a response by which it would delete points or stop for ever', () => {
  const nothing = { fields: new Map<string, string>(), json: undefined }
  for (const app of PHONE_APPS) {
    expect(replyOf(app, 'taken', nothing).status).toBe(200)
    expect(replyOf(app, 'later', nothing).status).toBe(503)
  }
  expect(replyOf('owntracks', 'taken', nothing)).toEqual({ status: 200, body: '[]' })
  expect(replyOf('overland', 'taken', nothing)).toEqual({ status: 200, body: '{"result":"ok"}' })
  const refused = replyOf('overland', 'unknown_token', nothing)
  expect(refused).toMatchObject({ status: 200, body: expect.not.stringContaining('result') })
  expect(replyOf('colota', 'unknown_token', nothing).status).toBe(503)
  expect(replyOf('phonetrack', 'unknown_token', nothing).status).toBe(503)
  expect(replyOf('osmand', 'later', nothing)).toMatchObject({ status: 503, holdMs: 6_000 })
  expect(replyOf('osmand', 'unknown_token', nothing)).toMatchObject({ status: 401, holdMs: 10_000 })
  // Overland gets its settings once; it keeps its points without the result, and `off` would be for ever.
  const first = replyOf('overland', 'taken', nothing, { isFirst: true })
  expect(first.status === 200 && JSON.parse(first.body)).toEqual({
    result: 'ok',
    set: {
      send_interval: '1m',
      main: {
        tracking_mode: 'standard',
        desired_accuracy: '10m',
        min_distance: '10m',
        min_time: '10s',
        pause_automatically: false,
      },
    },
  })
  // µlogger rests for minutes once it is over the limit: it alone is slowed down before.
  const slowed = PHONE_APPS.filter((app) => 'holdMs' in replyOf(app, 'taken', nothing, { isNearLimit: true }))
  expect(slowed).toEqual(['ulogger'])
  const track = { fields: new Map([['action', 'addtrack']]), json: undefined }
  expect(replyOf('ulogger', 'taken', track)).toEqual({ status: 200, body: '{"error":false,"trackid":1}' })
})
