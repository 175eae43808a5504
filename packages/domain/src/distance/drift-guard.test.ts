import { expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  advanceAll,
  advanceCounting,
  distanceKm,
  emptyTrack,
  followAnchors,
  type Track,
  trackOf,
} from '../distance'
import { greatCircleKm } from '../geo'
import type { Point } from '../point'
import { TAIL_FIXES_MAX } from './drift-guard'
import { countsForDistance } from './filter'
import type { Anchor } from './rules'
import { sumCounted } from './tally'

const start = Date.UTC(2026, 4, 1, 12)
const MINUTE = 60_000
const GUARD = { driftGuard: true }
const DEGREES_OF_KM = 180 / Math.PI / 6371.0088

/** A point so many metres north of 24° and east of 121°, its time counted from the start. */
const at = (afterMs: number, northM: number, over: Partial<Point> & { eastM?: number } = {}): Point => {
  const { eastM = 0, ...more } = over
  const lat = 24 + (northM / 1000) * DEGREES_OF_KM
  const lng = 121 + ((eastM / 1000) * DEGREES_OF_KM) / Math.cos((24 * Math.PI) / 180)
  return {
    kind: 'track',
    recordedAt: start + afterMs,
    lat,
    lng,
    accuracy: 10,
    speed: null,
    altitude: null,
    heading: null,
    source: 'auto',
    ...more,
  }
}
const km = (points: readonly Point[]) => distanceKm(trackOf(points, GUARD))
const aroundM = (from: Point, to: Point) =>
  greatCircleKm({ from, to }) * 1000 <= Math.max(40, from.accuracy ?? 0, to.accuracy ?? 0)

/** Contract 3.6 over the whole list: each stay becomes its first point, and that again at its last time. */
function collapsed(points: readonly Point[]): { collapsedPoints: Point[]; stays: number } {
  const rest = points.filter(countsForDistance)
  const collapsedPoints: Point[] = []
  let stays = 0
  for (let first = rest[0]; first !== undefined; first = rest[0]) {
    let inside = 1
    for (let next = rest[inside]; next !== undefined && aroundM(first, next); next = rest[inside]) inside++
    const last = rest[inside - 1] ?? first
    collapsedPoints.push(first)
    if (last.recordedAt - first.recordedAt < 5 * MINUTE) rest.shift()
    else {
      rest.splice(0, inside)
      collapsedPoints.push({ ...first, recordedAt: last.recordedAt, source: 'stay' })
      stays++
    }
  }
  return { collapsedPoints, stays }
}

/** What the rules of 3.2 count of points without noise, where a stay moves the anchor to its last time. */
function plainKm(points: readonly Point[]): number {
  let [sum, anchor] = [0, points[0]]
  for (const to of points.slice(1)) {
    if (anchor === undefined) break
    const km = greatCircleKm({ from: anchor, to })
    const isCounted = km >= 0.01 && to.recordedAt - anchor.recordedAt >= 30_000
    if (isCounted) sum += km
    if (isCounted || to.source === 'stay') anchor = to
  }
  return sum
}

/** Rests among walking, at all paces, with all accuracies; no jumps. */
const recording = fc
  .array(
    fc.record({
      afterMs: fc.constantFrom(1_000, 5_000, 20_000, 30_000, 60_000, 240_000),
      northM: fc.constantFrom(0, 0, 0, 3, -3, 17, -17, 60),
      eastM: fc.constantFrom(0, 0, 7, -7, 23),
      accuracy: fc.constantFrom(null, 5, 30, 70, 101),
    }),
    { maxLength: 80 },
  )
  .map((steps) => {
    let [afterMs, northM, eastM] = [0, 0, 0]
    return steps.map((step) => {
      afterMs += step.afterMs
      northM += step.northM
      eastM += step.eastM
      return at(afterMs, northM, { eastM, accuracy: step.accuracy })
    })
  })

test('the guard counts the same as a plain implementation of the contract over the whole list', () => {
  let stays = 0
  fc.assert(
    fc.property(recording, (points) => {
      const plain = collapsed(points)
      stays += plain.stays
      expect(km(points)).toBeCloseTo(plainKm(plain.collapsedPoints), 9)
    }),
    { seed: 36, numRuns: 2000 },
  )
  expect(stays).toBeGreaterThan(300)
})

test('in any batches, through JSON, the track and its quarters are those of one pass', () => {
  const sizes = fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1 })
  fc.assert(
    fc.property(recording, sizes, (points, sizes) => {
      let track: Track = emptyTrack()
      let counted = sumCounted([], [], [])
      for (let from = 0, batch = 0; from < points.length; batch++) {
        const size = sizes[batch % sizes.length] ?? 1
        const step = advanceCounting(track, points.slice(from, from + size), GUARD)
        counted = sumCounted(counted, step.counted, [])
        track = JSON.parse(JSON.stringify(step.track))
        from += size
      }
      const whole = advanceCounting(emptyTrack(), points, GUARD)
      expect(track).toEqual(JSON.parse(JSON.stringify(whole.track)))
      expect(counted.map(({ quarter }) => quarter)).toEqual(whole.counted.map(({ quarter }) => quarter))
      for (const [index, { walkedKm, motorizedKm }] of whole.counted.entries()) {
        expect(counted[index]?.walkedKm).toBeCloseTo(walkedKm, 9)
        expect(counted[index]?.motorizedKm).toBeCloseTo(motorizedKm, 9)
      }
    }),
    { seed: 37, numRuns: 1000 },
  )
})

test('the lines between the anchors are as long as the distance', () => {
  fc.assert(
    fc.property(recording, fc.integer({ min: 1, max: 30 }), (points, size) => {
      const anchors = followAnchors(GUARD)
      const found: Anchor[] = []
      for (let from = 0; from < points.length; from += size)
        found.push(...anchors.take(points.slice(from, from + size)))
      found.push(...anchors.end())
      const lines = found.reduce((sum, { fix, begins }, index) => {
        const before = found[index - 1]
        return begins || !before ? sum : sum + greatCircleKm({ from: before.fix, to: fix })
      }, 0)
      expect(lines).toBeCloseTo(km(points), 9)
      for (const { fix } of found) expect(points).toContain(fix as Point)
    }),
    { seed: 38, numRuns: 1000 },
  )
})

test('a night of drift adds next to nothing, and the walks before and after it count in full', () => {
  const walkTo = Array.from({ length: 30 }, (_, minute) => at(minute * MINUTE, minute * 70))
  const night = Array.from({ length: 600 }, (_, minute) =>
    at((30 + minute) * MINUTE, 2_100 + 18 * Math.sin(minute * 1.7), { eastM: 18 * Math.cos(minute * 2.3) }),
  )
  const walkOn = Array.from({ length: 30 }, (_, minute) => at((630 + minute) * MINUTE, 2_170 + minute * 70))
  const points = [...walkTo, ...night, ...walkOn]
  expect(distanceKm(trackOf(points))).toBeGreaterThan(6)
  expect(km(points)).toBeWithin(4.1, 4.3)
})

test('a walk without a rest is as long as without the guard, at any reporting rate', () => {
  for (const everyMs of [1_000, 5_000, 30_000, 60_000]) {
    const points = Array.from({ length: (40 * MINUTE) / everyMs }, (_, i) =>
      at(i * everyMs, (i * everyMs * 1.2) / 1000),
    )
    expect(km(points)).toBeCloseTo(distanceKm(trackOf(points)), 9)
  }
})

test('five minutes are a stay, a millisecond less is not; 40 m are near, and so is any distance within the accuracy', () => {
  const rest = (ms: number, northM: number, accuracy: number) => [
    at(0, 0),
    at(ms, northM, { accuracy }),
    at(ms + MINUTE, 500),
  ]
  const direct = 0.5
  expect(km(rest(5 * MINUTE, 39.9, 10))).toBeCloseTo(direct, 6)
  expect(km([at(0, 0), at(2 * MINUTE, 35), at(5 * MINUTE - 1, -35), at(6 * MINUTE, 500)])).toBeCloseTo(
    0.64,
    6,
  )
  expect(km([at(0, 0), at(2 * MINUTE, 35), at(5 * MINUTE, -35), at(6 * MINUTE, 500)])).toBeCloseTo(direct, 6)
  expect(km([at(0, 0), at(5 * MINUTE, 60, { accuracy: 61 }), at(6 * MINUTE, -400)])).toBeCloseTo(0.4, 6)
  expect(km([at(0, 0), at(5 * MINUTE, 60, { accuracy: 59 }), at(6 * MINUTE, -400)])).toBeCloseTo(0.52, 6)
})

test('a track continues from the last time of a stay: a ride after it is a ride', () => {
  const points = [at(0, 0), at(60 * MINUTE, 5), at(62 * MINUTE, 2_000)]
  expect(trackOf(points, GUARD)).toMatchObject({ walkedKm: 0, motorizedKm: expect.closeTo(2, 6) })
  expect(trackOf(points)).toMatchObject({ walkedKm: expect.closeTo(2, 6), motorizedKm: 0 })
})

test('what the guard holds back is bounded, whatever a phone sends', () => {
  const points = Array.from({ length: 5 * TAIL_FIXES_MAX }, (_, i) => at(i * 100, i % 7))
  const track = trackOf(points, GUARD)
  expect(track.guard?.tail.length).toBeLessThanOrEqual(TAIL_FIXES_MAX)
  const began = process.cpuUsage()
  advanceAll(emptyTrack(), points, GUARD)
  expect(process.cpuUsage(began).user / 1000).toBeLessThan(2_000)
})
