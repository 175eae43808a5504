import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { comparePreference, trackOf } from '@palanquin/domain/distance'
import type { Point } from '@palanquin/domain/point'
import { toIso } from '@palanquin/domain/time'
import { rollupFaults } from '@palanquin/testing/faults/rollups'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { until } from '@palanquin/testing/until'
import fc from 'fast-check'
import {
  type MapProcess,
  mapOf,
  type Service,
  type Stores,
  stores,
  tracking,
  untilFlushed,
  untilTaken,
} from '../../test/harness.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)
const HOUR_MS = 3_600_000
/** The points lie in the seven hours before the last whole hour but two, when all but the last of them rest. */
const NOW = Math.floor(Date.now() / HOUR_MS) * HOUR_MS
const START = NOW - 8 * HOUR_MS
const SECONDS = 7 * 3_600

let given: Stores
let service: Service
let map: MapProcess
beforeAll(async () => {
  given = await stores()
  service = await tracking(given, { now: () => NOW, env: { PACK_AFTER_HOURS: '1' } })
  map = await mapOf(given, { now: () => NOW })
})
afterAll(async () => {
  await map.close()
  await service.close()
  await given.close()
})

const sync = (userId: string | undefined, points: readonly object[]) =>
  untilTaken(() => service.post('/track/sync', { userId, points }))
/** A run that a slow store ends is begun again. */
const pack = () => until(() => service.packer.pack(), { what: 'a whole run of the packer' })

const fix = fc.record({
  second: fc.oneof(
    fc.integer({ min: 0, max: SECONDS }),
    fc.integer({ min: 0, max: 40 }).map((n) => n * 600),
  ),
  accuracy: fc.option(fc.constantFrom(3, 5, 8.25, 17.123456789, 150)),
  speed: fc.option(fc.constantFrom(0, 4.5, 80, 121)),
  aside: fc.constantFrom(0, 0.00012, 0.0123456789012),
  battery: fc.option(fc.integer({ min: 0, max: 100 })),
})
type Fix = {
  second: number
  accuracy: number | null
  speed: number | null
  aside: number
  battery: number | null
}
const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      user: fc.constantFrom(0, 1, 2),
      fixes: fc.array(fix, { minLength: 1, maxLength: 30 }),
    }),
  },
  { weight: 3, arbitrary: fc.constant('flush' as const) },
  { weight: 3, arbitrary: fc.constant('pack' as const) },
)

const pointOf = ({ second, accuracy, speed, aside, battery }: Fix): Point => ({
  kind: 'track',
  recordedAt: START + second * 1000,
  lat: 24 + second * 1e-5 + aside,
  lng: 120.6,
  accuracy,
  speed,
  altitude: null,
  heading: null,
  source: 'auto',
  ...(battery === null ? {} : { battery }),
})

const tracksOf = async (userIds: readonly string[]) =>
  (
    await given.sql`SELECT user_id, points, walked_km, motorized_km, needs_rebuild FROM tracking.tracks
                     WHERE user_id = ANY(${userIds}) ORDER BY user_id`
  ).map((row) => ({ ...row }))

const keptOf = async (userId: string) => {
  const { body } = await map.get(`/internal/points/${userId}`)
  return (body as unknown as Kept[]).map(({ recordedAt, lat, lng, accuracy, speed, battery }) => ({
    recordedAt,
    lat,
    lng,
    accuracy,
    speed,
    battery,
  }))
}
type Kept = {
  recordedAt: string
  lat: number
  lng: number
  accuracy: number | null
  speed: number | null
  battery: number | null
}

const countIn = async (table: string, userIds: readonly string[]): Promise<number> => {
  const [row] = await given.sql`
    SELECT count(*)::int AS n FROM ${given.sql(table)} WHERE user_id = ANY(${userIds})`
  return Number(row?.n)
}

let runs = 0
test('points that arrive in any order, whatever is packed in between, have the tracks, exports and sums of points that never were', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 16 }), async (steps) => {
      const userIds = [0, 1, 2].map((user) => `model-${runs}-${user}`)
      runs++
      const best = new Map(userIds.map((userId) => [userId, new Map<number, Point>()]))
      for (const one of [...steps, 'flush', 'pack'] as const) {
        if (one === 'flush') await untilFlushed(service)
        else if (one === 'pack') await pack()
        else {
          const userId = userIds[one.user] ?? ''
          const points = one.fixes.map(pointOf)
          expect((await sync(userId, points)).status).toBe(200)
          const counted = best.get(userId)
          for (const point of points) {
            const before = counted?.get(point.recordedAt)
            if (!before || comparePreference(point, before) < 0) counted?.set(point.recordedAt, point)
          }
        }
      }
      const expected = userIds
        .map((userId) => ({
          userId,
          points: [...(best.get(userId)?.values() ?? [])].sort((a, b) => a.recordedAt - b.recordedAt),
        }))
        .filter(({ points }) => points.length > 0)
      expect(await tracksOf(userIds)).toEqual(
        expected.map(({ userId, points }) => {
          const { points: count, walkedKm, motorizedKm } = trackOf(points)
          return {
            user_id: userId,
            points: count,
            walked_km: walkedKm,
            motorized_km: motorizedKm,
            needs_rebuild: false,
          }
        }),
      )
      for (const { userId, points } of expected)
        expect(await keptOf(userId)).toEqual(
          points.map(({ recordedAt, lat, lng, accuracy, speed, battery = null }) => ({
            recordedAt: toIso(recordedAt),
            lat,
            lng,
            accuracy,
            speed,
            battery,
          })),
        )
    }),
    { seed: 19, numRuns: 25 },
  )
  expect(await rollupFaults(given.sql)).toEqual([])
  const [row] =
    await given.sql`SELECT count(*)::int AS hours, sum(points)::int AS points FROM tracking.packed_points`
  expect(Number(row?.hours)).toBeGreaterThan(100)
  const [left] =
    await given.sql`SELECT count(*)::int AS n FROM tracking.points WHERE recorded_at < ${new Date(NOW - HOUR_MS)}`
  expect(left?.n).toBe(0)
})

test('a day whose points are all packed gives back its indexes, once VACUUM has left no row of it', async () => {
  const START_OF_DAY = Math.floor(NOW / 86_400_000) * 86_400_000 - 3 * 86_400_000
  const points = Array.from({ length: 900 }, (_, i) => ({
    lat: 24,
    lng: 120.6,
    accuracy: 5,
    recordedAt: START_OF_DAY + i * 60_000,
  }))
  const users = Array.from({ length: 4 }, (_, i) => `whole-day-${i}`)
  for (const userId of users) await sync(userId, points)
  await untilFlushed(service)
  await pack()
  const partition = `tracking.points_${toIso(START_OF_DAY).slice(0, 10).replaceAll('-', '')}`
  const bytes = async () => {
    const [row] = await given.sql`SELECT pg_total_relation_size(${partition}::text::regclass)::int AS bytes`
    return Number(row?.bytes)
  }
  const before = await bytes()
  await until(
    async () => {
      await given.sql.unsafe(`VACUUM ${partition}`)
      await pack()
      return (await bytes()) < 100_000
    },
    { what: 'the space of the day' },
  )
  expect(before).toBeGreaterThan(300_000)
  expect(await countIn('tracking.all_points', users)).toBe(3_600)
  await sync(users[0], points.slice(0, 1))
  expect((await service.flusher.flush()).flushed).toBe(0)
})

const walkOf = (from: number, count: number) =>
  Array.from({ length: count }, (_, i) =>
    pointOf({ second: from + i * 60, accuracy: 5, speed: null, aside: 0, battery: 80 }),
  )

test('a device whose points are packed is joined to a person whose points are, and the person is erased', async () => {
  const [device, person] = ['w_packed-device', 'U-packed-person']
  await sync(device, walkOf(0, 100))
  await sync(person, walkOf(30, 100))
  await untilFlushed(service)
  await pack()
  expect(await countIn('tracking.points', [device, person])).toBe(0)
  await given.sql`INSERT INTO engagement.links (device_id, user_id) VALUES (${device}, ${person})`
  await untilFlushed(service)
  const both = [...walkOf(0, 100), ...walkOf(30, 100)]
  const { points, walkedKm: walked_km, motorizedKm: motorized_km } = trackOf(both)
  expect(await tracksOf([device, person])).toEqual([
    { user_id: person, points, walked_km, motorized_km, needs_rebuild: false },
  ])
  expect(await countIn('tracking.all_points', [device])).toBe(0)
  await pack()
  expect(await keptOf(person)).toHaveLength(200)
  expect(await rollupFaults(given.sql)).toEqual([])

  await sync(person, walkOf(45, 3))
  await untilFlushed(service)
  expect(await countIn('tracking.points', [person])).toBeGreaterThan(3)
  expect(await countIn('tracking.packed_points', [person])).toBeGreaterThan(0)
  const erased = await service.post('/internal/erase', { userId: person })
  expect(erased).toMatchObject({ status: 200, body: { data: { erased: { points: 203 } } } })
  expect(await countIn('tracking.all_points', [person])).toBe(0)
  expect(await rollupFaults(given.sql)).toEqual([])
})
