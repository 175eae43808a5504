import { expect, test } from 'bun:test'
import { createSlots } from '@palanquin/demo/send'
import { distanceKm, trackOf } from '@palanquin/domain/distance'
import type { Point } from '@palanquin/domain/point'
import { round3 } from '@palanquin/domain/round'
import { dataOf, SyncReceipt } from '@palanquin/stack/api'
import { type Random, seededRandom } from '@palanquin/testing/random'
import { type RecordingName, readRecording, recordedUntil } from '@palanquin/testing/recording'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { until } from '@palanquin/testing/until'
import { walk } from '@palanquin/testing/walk'
import { stack } from './unlimited-stack.ts'

const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000
const BATCH_POINTS_MAX = 50
const SYNCS_AT_ONCE = 8

/** Points as a phone has them: each time once. */
const distinct = (points: readonly Point[]): Point[] => [
  ...new Map(points.map((point) => [point.recordedAt, point])).values(),
]

/** Sends points shuffled, in batches of 1 to 50, every batch twice, several at a time. */
async function sendShuffled(userId: string, points: readonly Point[], random: Random): Promise<void> {
  const left = random.shuffle(points)
  const batches: Point[][] = []
  while (left.length > 0) batches.push(left.splice(0, random.integer(1, BATCH_POINTS_MAX)))
  const slots = createSlots(SYNCS_AT_ONCE)
  await Promise.all(
    random.shuffle([...batches, ...batches]).map((batch) =>
      slots(async () => {
        const reply = await stack.api.post('/track/sync', {
          userId,
          points: batch.map(({ kind, ...sent }) => sent),
        })
        const { received, buffered, duplicates } = dataOf(SyncReceipt, reply)
        expect(buffered + duplicates).toBe(received)
      }),
    ),
  )
}

/** GET /user eventually equals one sorted pass over the points. */
async function expectSinglePass(userId: string, points: readonly Point[]): Promise<void> {
  const track = trackOf(points)
  const expected = {
    distanceKm: round3(distanceKm(track)),
    walkedKm: round3(track.walkedKm),
    motorizedKm: round3(track.motorizedKm),
  }
  let said: object = {}
  await until(
    async () => {
      const { distanceKm, walkedKm, motorizedKm } = await stack.api.profile(userId)
      said = { distanceKm, walkedKm, motorizedKm }
      return Bun.deepEquals(said, expected)
    },
    { what: `${userId} at ${JSON.stringify(expected)}` },
  ).catch(() => expect(said).toEqual(expected))
}

const flushed = () =>
  until(async () => (await stack.api.health()).buffer_size === 0, { what: 'an empty buffer' })

const GPX: readonly RecordingName[] = [
  'walk-cerknicko-jezero.gpx',
  'hike-korita-zbevnica.gpx',
  'run-togeojson.gpx',
]

for (const [index, name] of GPX.entries()) {
  const recording = readRecording(name)
  test.skipIf(recording === null)(
    `${name} gives the result of one sorted pass, however it was sent`,
    async () => {
      const points = distinct(recordedUntil(recording ?? [], Date.now() - HOUR_MS))
      expect(points.length).toBeGreaterThan(100)
      const userId = `recorded-${index}`
      await sendShuffled(userId, points, seededRandom(index + 1))
      await expectSinglePass(userId, points)
    },
    TEST_TIMEOUT_MS,
  )
}

test(
  'a generated walk whose first day arrives a day late, after the second was counted, gives one sorted pass',
  async () => {
    const seeds = [11, 12, 13, 14]
    const now = Date.now()
    const walks = seeds.map((seed) => {
      const day = (startMs: number, seed: number) =>
        walk({
          seed,
          startMs,
          hours: 5,
          fixEveryS: 30,
          noiseM: 8,
          stops: 2,
          gaps: 2,
          tunnels: 1,
          falseFixes: 2,
          rides: 1,
        })
      return {
        userId: `walked-${seed}`,
        first: day(now - DAY_MS - 6 * HOUR_MS, seed).points,
        second: day(now - 6 * HOUR_MS, seed + 100).points,
      }
    })
    await Promise.all(
      walks.map(({ userId, second }, index) => sendShuffled(userId, second, seededRandom(index))),
    )
    await flushed()
    for (const { userId, second } of walks) await expectSinglePass(userId, second)
    await Promise.all(
      walks.map(({ userId, first }, index) => sendShuffled(userId, first, seededRandom(index + 50))),
    )
    for (const { userId, first, second } of walks) await expectSinglePass(userId, [...first, ...second])
  },
  TEST_TIMEOUT_MS,
)

test(
  'a phone that reports each second for an hour along 5 km gets 5 km',
  async () => {
    const startMs = Date.now() - 2 * HOUR_MS
    const metresPerDegree = 111_195.08
    const points = Array.from(
      { length: 3601 },
      (_, second): Point => ({
        kind: 'track',
        recordedAt: startMs + second * 1000,
        lat: 23.5 + (second * 5000) / 3600 / metresPerDegree,
        lng: 120.3,
        accuracy: 5,
        speed: 5,
        altitude: null,
        heading: null,
        source: 'auto',
      }),
    )
    await sendShuffled('each-second', points, seededRandom(3))
    await expectSinglePass('each-second', points)
    expect((await stack.api.profile('each-second')).distanceKm).toBeCloseTo(5, 2)
  },
  TEST_TIMEOUT_MS,
)
