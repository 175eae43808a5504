import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { advanceAll, advanceCounting, emptyTrack } from '../distance'
import type { Point } from '../point'
import { advanceWithCheckpoints, CHECKPOINT_POINTS, checkpointOf } from './checkpoint'
import { QUARTER_MS } from './tally'

const start = Date.UTC(2026, 4, 1, 12)
const step = fc.record({
  afterMs: fc.constantFrom(1, 1000, 29_999, 30_000, 60_000, 240_000, 3_600_000),
  north: fc.constantFrom(0, 0.0001, 0.0005, 0.002, -0.002),
  jump: fc.constantFrom(0, 0, 0, 0, 0, 5, 5, 40),
  accuracy: fc.constantFrom(null, 5, 60, 101),
})
const recording = fc.array(step, { minLength: 2, maxLength: 60 }).map((steps) => {
  let [recordedAt, lat] = [start, 24]
  return steps.map(({ afterMs, north, jump, accuracy }): Point => {
    recordedAt += afterMs
    lat += north
    return {
      kind: 'track',
      recordedAt,
      lat: lat + jump,
      lng: 121,
      accuracy,
      speed: null,
      altitude: null,
      heading: null,
      source: 'auto',
    }
  })
})
const options = fc.record({ driftGuard: fc.boolean() })

test('from a checkpoint, through JSON, a rebuild comes to the track of all points, bit for bit', () => {
  fc.assert(
    fc.property(recording, fc.nat(), options, (points, cut, guard) => {
      const until = 1 + (cut % (points.length - 1))
      const checkpoint = checkpointOf(advanceAll(emptyTrack(), points.slice(0, until), guard))
      const resumed = advanceAll(JSON.parse(JSON.stringify(checkpoint?.track)), points.slice(until), guard)
      expect(resumed).toEqual(advanceAll(emptyTrack(), points, guard))
      expect(checkpoint?.at).toBe(points[until - 1]?.recordedAt)
    }),
    { seed: 71, numRuns: 2000 },
  )
})

test('what a checkpoint has counted ended by openFrom, and what is counted after it ends no earlier', () => {
  fc.assert(
    fc.property(recording, fc.nat(), options, (points, cut, guard) => {
      const until = 1 + (cut % (points.length - 1))
      const before = advanceCounting(emptyTrack(), points.slice(0, until), guard)
      const checkpoint = checkpointOf(before.track)
      if (checkpoint === null) throw new Error('so few points are never too much')
      const whole = advanceCounting(emptyTrack(), points, guard)
      const after = advanceCounting(checkpoint.track, points.slice(until), guard)
      const { openFrom, track } = checkpoint
      for (const { quarter } of after.counted) expect(quarter).toBeGreaterThan(openFrom - QUARTER_MS)
      // Whole quarters before openFrom are not touched again, so the rest of the checkpoint's sum is its own quarter's.
      const own = Math.floor(openFrom / QUARTER_MS) * QUARTER_MS
      const earlier = whole.counted.filter(({ quarter }) => quarter < own)
      const earlierKm = earlier.reduce((sum, one) => sum + one.walkedKm + one.motorizedKm, 0)
      const ownKm = track.walkedKm + track.motorizedKm - earlierKm
      const found = (after.counted.find(({ quarter }) => quarter === own) ?? null) as {
        walkedKm: number
        motorizedKm: number
      } | null
      const expected = whole.counted.find(({ quarter }) => quarter === own)
      expect(ownKm + (found?.walkedKm ?? 0) + (found?.motorizedKm ?? 0)).toBeCloseTo(
        (expected?.walkedKm ?? 0) + (expected?.motorizedKm ?? 0),
        9,
      )
    }),
    { seed: 72, numRuns: 2000 },
  )
})

test('there is a checkpoint at every multiple of CHECKPOINT_POINTS, for any batches', () => {
  const points = Array.from(
    { length: 1_050 },
    (_, i): Point => ({
      kind: 'track',
      recordedAt: start + i * 60_000,
      lat: 24 + i * 1e-4,
      lng: 121,
      accuracy: 5,
      speed: null,
      altitude: null,
      heading: null,
      source: 'auto',
    }),
  )
  for (const size of [1, 199, 200, 201, 1_050]) {
    let track = emptyTrack()
    const found: number[] = []
    for (let from = 0; from < points.length; from += size) {
      const pass = advanceWithCheckpoints(track, points.slice(from, from + size))
      track = pass.track
      found.push(...pass.checkpoints.map((checkpoint) => checkpoint.track.points))
    }
    expect(found).toEqual([1, 2, 3, 4, 5].map((n) => n * CHECKPOINT_POINTS))
    expect(track).toEqual(advanceAll(emptyTrack(), points))
  }
})
