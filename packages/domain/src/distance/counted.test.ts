import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { advanceCounting, emptyTrack, followAnchors, type Track, trackOf } from '../distance'
import type { Point } from '../point'
import { type CountedKm, QUARTER_MS } from './tally'

const start = Date.UTC(2026, 4, 1, 12)

const pointAt = (recordedAt: number, lat: number, over: Partial<Point> = {}): Point => ({
  kind: 'track',
  recordedAt,
  lat,
  lng: 121,
  accuracy: 5,
  speed: null,
  altitude: null,
  heading: null,
  source: 'auto',
  ...over,
})

const step = fc.record({
  afterMs: fc.constantFrom(1000, 29_999, 30_000, 60_000, 600_000, 3_600_000),
  north: fc.constantFrom(0, 0.00001, 0.0005, 0.002, 0.02, -0.002),
  jump: fc.constantFrom(0, 0, 0, 0, 5, 5, 40),
})

const recording = fc.array(step, { minLength: 1, maxLength: 60 }).map((steps) => {
  let [recordedAt, lat] = [start, 24]
  return steps.map(({ afterMs, north, jump }) => {
    recordedAt += afterMs
    lat += north
    return pointAt(recordedAt, lat + jump)
  })
})

/** Fed in pieces; what each piece counted, in one list. */
function chunk(points: readonly Point[], size: number): { track: Track; counted: CountedKm[] } {
  let track = emptyTrack()
  const counted: CountedKm[] = []
  for (let at = 0; at < points.length; at += size) {
    const piece = advanceCounting(track, points.slice(at, at + size))
    track = piece.track
    counted.push(...piece.counted)
  }
  return { track, counted }
}

const byQuarter = (counted: readonly CountedKm[]): Map<number, number> => {
  const sums = new Map<number, number>()
  for (const { quarter, walkedKm, motorizedKm } of counted)
    sums.set(quarter, (sums.get(quarter) ?? 0) + walkedKm + motorizedKm)
  return sums
}

test('kilometres by time add up to the distance, and are the same for any split into batches', () => {
  fc.assert(
    fc.property(recording, fc.integer({ min: 1, max: 20 }), (points, size) => {
      const whole = advanceCounting(emptyTrack(), points)
      const pieces = chunk(points, size)
      expect(pieces.track).toEqual(whole.track)
      const sum = (kind: 'walkedKm' | 'motorizedKm') => pieces.counted.reduce((km, one) => km + one[kind], 0)
      expect(sum('walkedKm')).toBeCloseTo(whole.track.walkedKm, 9)
      expect(sum('motorizedKm')).toBeCloseTo(whole.track.motorizedKm, 9)
      const [expected, found] = [byQuarter(whole.counted), byQuarter(pieces.counted)]
      expect([...found.keys()].toSorted()).toEqual([...expected.keys()].toSorted())
      for (const [quarter, km] of expected) expect(found.get(quarter)).toBeCloseTo(km, 9)
    }),
    { seed: 20260501, numRuns: 500 },
  )
})

test('a segment belongs to the quarter of an hour in which it ends', () => {
  const points = [
    pointAt(start + QUARTER_MS - 60_000, 24),
    pointAt(start + QUARTER_MS - 1, 24.0005),
    pointAt(start + QUARTER_MS + 59_999, 24.001),
    pointAt(start + 2 * QUARTER_MS, 24.002),
  ]
  const { counted } = advanceCounting(emptyTrack(), points)
  expect(counted.map(({ quarter }) => quarter)).toEqual([start, start + QUARTER_MS, start + 2 * QUARTER_MS])
})

test('where four points show an outlier, their kilometres belong to their own times', () => {
  const away = (minute: number) => pointAt(start + minute * 60_000, 30 + minute * 0.0005)
  const { counted } = advanceCounting(emptyTrack(), [
    pointAt(start, 24),
    ...[13, 14, 15, 16].map((minute) => away(minute)),
  ])
  expect(counted.map(({ quarter }) => quarter)).toEqual([start, start + QUARTER_MS])
})

test('the anchors alone give the same distance again', () => {
  fc.assert(
    fc.property(recording, (points) => {
      const anchors = followAnchors()
      const anchored = [...anchors.take(points), ...anchors.end()]
      const times = new Set(anchored.map(({ fix }) => fix.recordedAt))
      const whole = trackOf(points)
      const runs: Point[][] = []
      for (const { fix, begins } of anchored) {
        const point = points.find(({ recordedAt }) => recordedAt === fix.recordedAt)
        if (begins) runs.push([])
        if (point) runs.at(-1)?.push(point)
      }
      const km = runs.reduce((sum, run) => sum + trackOf(run).walkedKm + trackOf(run).motorizedKm, 0)
      expect(km).toBeCloseTo(whole.walkedKm + whole.motorizedKm, 9)
      expect(times.size).toBe(anchored.length)
    }),
    { seed: 20260502, numRuns: 500 },
  )
})
