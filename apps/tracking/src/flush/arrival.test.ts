import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { advanceCounting, distanceKm, emptyTrack, inOrder, trackOf } from '@palanquin/domain/distance'
import { shardOf, shardTag } from '@palanquin/domain/ids'
import type { Point } from '@palanquin/domain/point'
import { anyTrack } from '@palanquin/testing/arbitrary'
import { rollupFaults } from '@palanquin/testing/faults/rollups'
import { seededRandom } from '@palanquin/testing/random'
import { RECORDINGS, readRecording, recordedUntil } from '@palanquin/testing/recording'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { walk } from '@palanquin/testing/walk'
import fc from 'fast-check'
import { type Service, type Stores, stores, tracking, untilFlushed, untilTaken } from '../../test/harness.ts'
import { recentKey } from '../buffer/keys.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

let given: Stores
let service: Service
beforeAll(async () => {
  given = await stores()
  service = await tracking(given)
})
afterAll(async () => {
  await service.close()
  await given.close()
})

const DAY_MS = 86_400_000
const yesterday = () => Date.now() - DAY_MS
let users = 0

async function send(userId: string, points: readonly Point[]): Promise<void> {
  const [first] = points
  if (!first) return
  const tracks = points.filter(({ kind }) => kind === 'track')
  for (const point of points.filter(({ kind }) => kind === 'checkin')) {
    const answer = await service.post('/checkin', { userId, ...point })
    expect(answer.status).toBe(202)
  }
  if (tracks.length === 0) return
  const answer = await untilTaken(() => service.post('/track/sync', { userId, points: tracks }))
  expect(answer.status).toBe(200)
  expect(answer.body.data).toMatchObject({ received: tracks.length, rejected: [] })
}

/** Lets the 60 s pass in which repeats are recognised before they reach PostgreSQL. */
async function forgetRepeats(userId: string): Promise<void> {
  await given.redis.del(recentKey(userId))
  const keys = await given.redis.keys(`${shardTag(shardOf(userId))}:dup:${userId}:*`)
  if (keys.length > 0) await given.redis.del(keys)
}

const stored = async (userId: string) => {
  const [row] = await given.sql`
    SELECT walked_km, motorized_km, points, checkins, needs_rebuild FROM tracking.tracks WHERE user_id = ${userId}`
  return row
}

const expected = (points: readonly Point[]) => {
  const { walkedKm, motorizedKm, points: count, checkins } = trackOf(points)
  return { walked_km: walkedKm, motorized_km: motorizedKm, points: count, checkins, needs_rebuild: false }
}

const HOUR_MS = 3_600_000

/** Kilometres by hour (those of Taipei are those of UTC), to the millimetre. */
async function storedByHour(userId: string): Promise<Record<string, string>> {
  const rows = await given.sql<{ hour: Date; km: number }[]>`
    SELECT hour, walked_km + motorized_km AS km FROM tracking.participant_hours
     WHERE user_id = ${userId} AND walked_km + motorized_km > 0 ORDER BY hour`
  return Object.fromEntries(rows.map(({ hour, km }) => [hour.toISOString(), km.toFixed(6)]))
}

function expectedByHour(points: readonly Point[]): Record<string, string> {
  const hours = new Map<string, number>()
  const { counted } = advanceCounting(
    emptyTrack(),
    inOrder(points, (point) => point),
  )
  for (const { quarter, walkedKm, motorizedKm } of counted) {
    const hour = new Date(Math.floor(quarter / HOUR_MS) * HOUR_MS).toISOString()
    hours.set(hour, (hours.get(hour) ?? 0) + walkedKm + motorizedKm)
  }
  return Object.fromEntries([...hours].map(([hour, km]) => [hour, km.toFixed(6)]))
}

function batchesOf(
  points: readonly Point[],
  random: ReturnType<typeof seededRandom>,
  max: number,
): Point[][] {
  const batches: Point[][] = []
  for (let start = 0; start < points.length; ) {
    const size = random.integer(1, max)
    batches.push(points.slice(start, start + size))
    start += size
  }
  return batches
}

/** Shuffled batches, each sent twice, with flushes in between and a part that comes a day late. */
async function arriveAnyhow(userId: string, points: readonly Point[], seed: number): Promise<void> {
  const random = seededRandom(seed)
  const batches = random.shuffle(batchesOf(random.shuffle(points), random, 50))
  const late = batches.splice(0, Math.floor(batches.length / 4))
  for (const batch of batches) {
    await send(userId, batch)
    if (random.next() < 0.3) await untilFlushed(service)
    if (random.next() < 0.5) await forgetRepeats(userId)
    await send(userId, batch)
  }
  await untilFlushed(service)
  await forgetRepeats(userId)
  for (const batch of late) await send(userId, batch)
  await untilFlushed(service)
}

/** Two recordings of one phone in one: half of the points once more at their time, elsewhere, surer or less sure. */
function withTies(points: readonly Point[], seed: number): Point[] {
  const random = seededRandom(seed)
  return points.flatMap((point) => {
    if (random.next() < 0.5) return [point]
    const accuracy = random.next() < 0.3 ? null : random.integer(0, 150)
    const speed = random.next() < 0.5 ? null : random.integer(0, 150)
    return [point, { ...point, lng: point.lng + random.between(-0.01, 0.01), accuracy, speed }]
  })
}

test(
  'any track, in any batches, order and repetition, has the result of one sorted pass',
  async () => {
    await fc.assert(
      fc.asyncProperty(
        anyTrack({ maxLength: 40, startMs: yesterday() }),
        fc.integer(),
        async (points, seed) => {
          // Check-ins of one place are one within a minute, a rule that the domain does not know.
          const apart = withTies(points, seed).map((point, i) => ({ ...point, lat: point.lat + i * 1e-5 }))
          const userId = `any-${users++}`
          await arriveAnyhow(userId, apart, seed)
          expect(await stored(userId)).toEqual(expected(apart))
          expect(await storedByHour(userId)).toEqual(expectedByHour(apart))
        },
      ),
      { seed: 20260417, numRuns: 100 },
    )
    expect(await rollupFaults(given.sql)).toEqual([])
  },
  TEST_TIMEOUT_MS,
)

test('a day with rests, tunnels and false fixes has the result of one sorted pass', async () => {
  const { points } = walk({
    seed: 7,
    startMs: yesterday(),
    hours: 4,
    stops: 1,
    tunnels: 2,
    falseFixes: 3,
    rides: 1,
    gaps: 2,
  })
  await arriveAnyhow('pilgrim', points, 7)
  const row = await stored('pilgrim')
  expect(row).toEqual(expected(points))
  expect(await storedByHour('pilgrim')).toEqual(expectedByHour(points))
  expect(await rollupFaults(given.sql)).toEqual([])
  expect(distanceKm(trackOf(points))).toBeGreaterThan(5)
})

for (const name of RECORDINGS) {
  const recording = readRecording(name)
  test.skipIf(recording === null)(`the recording ${name} has the result of one sorted pass`, async () => {
    const points = recordedUntil(recording ?? [], Date.now() - DAY_MS).filter(
      ({ recordedAt }) => recordedAt > Date.now() - 29 * DAY_MS,
    )
    await arriveAnyhow(`recording-${name.replace(/\W/g, '-').slice(0, 50)}`, points, 3)
    expect(await stored(`recording-${name.replace(/\W/g, '-').slice(0, 50)}`)).toEqual(expected(points))
  })
}

test('a phone that reports each second for an hour along 5 km has walked 5 km', async () => {
  const start = yesterday()
  const points = Array.from(
    { length: 3601 },
    (_, s): Point => ({
      kind: 'track',
      recordedAt: start + s * 1000,
      lat: 24 + ((5 / 111.19508) * s) / 3600,
      lng: 120.6,
      accuracy: 5,
      speed: 5,
      altitude: null,
      heading: null,
      source: 'auto',
    }),
  )
  for (let at = 0; at < points.length; at += 1000) await send('each-second', points.slice(at, at + 1000))
  await untilFlushed(service)
  const row = await stored('each-second')
  expect(row?.walked_km).toBeCloseTo(5, 3)
})
