import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { distanceKm, inOrder, trackOf } from '@palanquin/domain/distance'
import type { Point } from '@palanquin/domain/point'
import { rollupFaults } from '@palanquin/testing/faults/rollups'
import { seededRandom } from '@palanquin/testing/random'
import { searchPostgres } from '@palanquin/testing/search'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { eraseAt } from '../../test/erasure-harness.ts'
import { type Service, type Stores, stores, tracking, untilFlushed, untilTaken } from '../../test/harness.ts'
import { isCarried, type Span } from './carried.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

const MINUTE_MS = 60_000
const startMs = Math.floor(Date.now() / 3_600_000 - 48) * 3_600_000
const at = (minute: number) => startMs + minute * MINUTE_MS

let given: Stores
let services: Record<'off' | 'on', Service>
beforeAll(async () => {
  given = await stores()
  const env = { GPS_DRIFT_GUARD: 'on', JOURNAL_DIR: `${given.folder}/guarded` }
  services = { off: await tracking(given), on: await tracking(given, { env }) }
})
afterAll(async () => {
  await Promise.all([services.off.close(), services.on.close()])
  await given.close()
})

const pointAt = (minute: number, over: Partial<Point> = {}): Point => ({
  kind: 'track',
  recordedAt: at(minute),
  lat: 24 + minute * 5e-4,
  lng: 120.6,
  accuracy: 5,
  speed: null,
  altitude: null,
  heading: null,
  source: 'auto',
  ...over,
})

/** As `beacons/` leaves them; the last span may be open. */
async function carry(userId: string, spans: readonly Span[]): Promise<void> {
  const { sql } = given
  const [beacon] = await sql`
    INSERT INTO tracking.beacons (kind, name_zh, name_en) VALUES ('rear', '車', 'Car') RETURNING id`
  await sql`DELETE FROM tracking.beacon_devices WHERE user_id = ${userId}`
  await sql`DELETE FROM tracking.carried_spans WHERE user_id = ${userId}`
  for (const { since, until } of spans)
    if (until === null)
      await sql`INSERT INTO tracking.beacon_devices VALUES (${userId}, ${beacon?.id}, ${new Date(since)})`
    else
      await sql`INSERT INTO tracking.carried_spans VALUES (${userId}, ${new Date(since)}, ${new Date(until)})`
}

async function send(userId: string, points: readonly Point[], on = services.off): Promise<void> {
  for (const point of points.filter(({ kind }) => kind === 'checkin'))
    expect((await on.post('/checkin', { userId, ...point })).status).toBe(202)
  const tracks = points.filter(({ kind }) => kind === 'track')
  if (tracks.length === 0) return
  const answer = await untilTaken(() => on.post('/track/sync', { userId, points: tracks }))
  expect(answer).toMatchObject({ status: 200, body: { data: { rejected: [] } } })
}
const flush = (on = services.off) => untilFlushed(on)

const stored = async (userId: string) => {
  const [row] = await given.sql`
    SELECT walked_km, motorized_km, points, checkins, needs_rebuild FROM tracking.tracks WHERE user_id = ${userId}`
  return row
}
const keysIn = async (table: 'points' | 'carried_points', userId: string): Promise<string[]> => {
  const rows = await given.sql`
    SELECT recorded_at, kind FROM ${given.sql(`tracking.${table}`)} WHERE user_id = ${userId}`
  return rows.map(({ recorded_at, kind }) => `${recorded_at.getTime()} ${kind}`).sort()
}
const keysOf = (points: readonly Point[]): string[] =>
  [...new Set(points.map(({ recordedAt, kind }) => `${recordedAt} ${kind === 'checkin' ? 0 : 1}`))].sort()

/** The figures of the walks between the times of carrying, each for itself: what was carried joins none of them. */
function expected(points: readonly Point[], spans: readonly Span[], driftGuard: boolean) {
  const counting = inOrder(
    points.filter(({ recordedAt }) => !isCarried(spans, recordedAt)),
    (point) => point,
  )
  const walks = Map.groupBy(
    counting,
    ({ recordedAt }) => spans.filter(({ until }) => until !== null && until <= recordedAt).length,
  )
  const tracks = [...walks.values()].map((walk) => trackOf(walk, { driftGuard }))
  const sum = (figure: 'walkedKm' | 'motorizedKm' | 'points' | 'checkins') =>
    tracks.reduce((total, track) => total + track[figure], 0)
  return {
    walked_km: expect.closeTo(sum('walkedKm'), 9),
    motorized_km: expect.closeTo(sum('motorizedKm'), 9),
    points: sum('points'),
    checkins: sum('checkins'),
    needs_rebuild: false,
  }
}

for (const guard of ['off', 'on'] as const)
  test(`however they arrive, points recorded while carrying are stored apart and count nowhere (drift guard ${guard})`, async () => {
    const on = services[guard]
    for (const seed of [1, 2, 3, 4, 5, 6]) {
      const random = seededRandom(seed)
      const userId = `device-${guard}-${seed}`
      let lat = 24
      const all = Array.from({ length: 900 }, (_, minute) => {
        lat += random.next() < 0.3 ? 0 : random.between(0, 3e-3)
        const kind = random.next() < 0.03 ? 'checkin' : 'track'
        // Check-ins of one place are one within a minute.
        return pointAt(minute * 2, { kind, lat: lat + minute * 1e-5 })
      })
      const [first, second] = [random.integer(100, 700), random.integer(900, 1_300)]
      const spans: Span[] = [
        { since: at(first), until: at(first + random.integer(1, 200)) },
        { since: at(second), until: at(second + random.integer(1, 300)) },
        ...(seed % 2 ? [{ since: at(1_700), until: null }] : []),
      ]
      await carry(userId, spans)
      const order = random.shuffle(all)
      const late = new Set(order.slice(0, 60))
      const inTime = all.filter((point) => !late.has(point))
      for (let from = 0; from < inTime.length; from += 150) {
        await send(userId, inTime.slice(from, from + 150), on)
        if (random.next() < 0.6) await flush(on)
      }
      for (let from = 0; from < 60; from += 20) {
        await send(userId, order.slice(from, from + 20), on)
        await flush(on)
      }
      await given.sql`UPDATE tracking.tracks SET needs_rebuild = true, rebuild_from = NULL WHERE user_id = ${userId} AND ${seed > 3}`
      await send(userId, all.slice(300, 600), on)
      await flush(on)
      const isApart = ({ recordedAt }: Point) => isCarried(spans, recordedAt)
      expect(await stored(userId)).toEqual(expected(all, spans, guard === 'on'))
      expect(await keysIn('carried_points', userId)).toEqual(keysOf(all.filter(isApart)))
      expect(await keysIn('points', userId)).toEqual(keysOf(all.filter((point) => !isApart(point))))
    }
    expect(await rollupFaults(given.sql)).toEqual([])
  })

test('a device counts before it carries, does not while it carries, and counts again afterwards, without the way between', async () => {
  const userId = 'before-during-after'
  const walk = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, minute) => pointAt(from + minute))
  await send(userId, walk(0, 60))
  await flush()
  const before = await stored(userId)

  await carry(userId, [{ since: at(60), until: null }])
  await send(userId, walk(60, 120))
  await send(userId, [pointAt(90, { kind: 'checkin', lat: 24.9 })])
  await flush()
  expect(await stored(userId)).toEqual(before)
  expect(await keysIn('carried_points', userId)).toHaveLength(61)

  const spans = [{ since: at(60), until: at(120) }]
  await carry(userId, spans)
  await send(userId, [...walk(120, 180), pointAt(30.5), pointAt(61.5)])
  await flush()
  const points = [...walk(0, 60), ...walk(120, 180), pointAt(30.5)]
  expect(await stored(userId)).toEqual(expected(points, spans, false))
  expect(await keysIn('carried_points', userId)).toHaveLength(62)
  expect(Number((await stored(userId))?.walked_km)).toBeLessThan(distanceKm(trackOf(points)) - 2)
  expect(await rollupFaults(given.sql)).toEqual([])
})

test('a phone that only ever carried a beacon is in no figure, and an erasure forgets all of a device', async () => {
  const userId = 'only-a-device'
  await carry(userId, [
    { since: at(0), until: at(10) },
    { since: at(20), until: null },
  ])
  await send(userId, [pointAt(5), pointAt(25), pointAt(30)])
  await flush()
  expect(await stored(userId)).toBeUndefined()
  expect(await keysIn('carried_points', userId)).toHaveLength(3)
  expect(await rollupFaults(given.sql)).toEqual([])

  expect((await eraseAt(services.off, userId)).erased.points).toBe(3)
  expect(await searchPostgres(given.sql, [userId])).toEqual([])
  await send(userId, [pointAt(40)])
  await flush()
  expect(await stored(userId)).toMatchObject({ points: 1 })
})
