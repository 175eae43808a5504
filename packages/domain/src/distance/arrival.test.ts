import { expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  advance,
  advanceAll,
  comparePreference,
  distanceKm,
  emptyTrack,
  inOrder,
  isAfter,
  type Track,
  trackOf,
} from '../distance'
import { greatCircleKm } from '../geo'
import type { Point } from '../point'
import { countsForDistance } from './filter'

const start = Date.UTC(2026, 4, 1, 12)

/** Few enough places and times that every rule is met often. */
const step = fc.record({
  afterMs: fc.constantFrom(0, 1000, 10_000, 29_999, 30_000, 60_000, 600_000, 3_600_000),
  north: fc.constantFrom(0, 0.00001, 0.0005, 0.002, 0.02, -0.002, -0.0005),
  jump: fc.constantFrom(0, 0, 0, 0, 0, 5, -5, 40),
  kind: fc.constantFrom('track' as const, 'track' as const, 'checkin' as const),
  accuracy: fc.constantFrom(null, 0, 5, 40, 100, 100.1),
  speed: fc.constantFrom(null, 0, 5, 120, 120.1),
})

/** Everything that was ever recorded: of one key often several, that differ in place, accuracy and speed. */
const recordings = fc.array(step, { maxLength: 40 }).map((steps) => {
  const points: Point[] = []
  let lat = 24
  let recordedAt = start
  for (const { afterMs, north, jump, kind, accuracy, speed } of steps) {
    recordedAt += afterMs
    lat += north
    const point = {
      kind,
      recordedAt,
      lat: lat + jump,
      lng: 121,
      accuracy,
      speed,
      altitude: null,
      heading: null,
      source: 'auto',
    }
    points.push(point)
  }
  return points
})
/** What is stored in the end: each key once, in order. */
const recording = recordings.map((points) => inOrder(points, (point) => point))

/** The recording as a network delivers it: in pieces, in any order, any of them again. */
const delivery = recordings.chain((points) =>
  fc.record({
    points: fc.constant(points),
    batches: fc
      .tuple(
        fc.shuffledSubarray(points, { minLength: points.length }),
        fc.shuffledSubarray(points),
        fc.array(fc.integer({ min: 1, max: 12 })),
      )
      .map(([all, again, sizes]) => split([...all, ...again], sizes)),
  }),
)
const options = fc.record({ driftGuard: fc.boolean() })

function split(points: readonly Point[], sizes: readonly number[]): Point[][] {
  const batches: Point[][] = []
  let from = 0
  for (const size of sizes) {
    batches.push(points.slice(from, from + size))
    from += size
  }
  return [...batches, points.slice(from)]
}

/** What the flush does with a batch: keep what is new or counts instead, advance if all of it is later, else rebuild. */
class Store {
  track: Track = emptyTrack()
  private readonly points = new Map<string, Point>()

  constructor(private readonly options: { driftGuard: boolean }) {}

  flush(batch: readonly Point[]): void {
    const fresh: Point[] = []
    for (const point of inOrder(batch, (one) => one)) {
      const key = `${point.kind} ${point.recordedAt}`
      const stored = this.points.get(key)
      if (stored && comparePreference(point, stored) >= 0) continue
      this.points.set(key, point)
      fresh.push(point)
    }
    const late = fresh.some((point) => !isAfter(this.track, point))
    if (late) this.track = trackOf([...this.points.values()], this.options)
    else this.track = advanceAll(this.track, fresh, this.options)
  }
}

test('any split, order and repetition gives the track of one sorted pass, bit for bit', () => {
  fc.assert(
    fc.property(delivery, options, ({ points, batches }, guard) => {
      const store = new Store(guard)
      for (const batch of batches) store.flush(batch)
      expect(store.track).toEqual(trackOf(points, guard))
    }),
    { seed: 9, numRuns: 1500 },
  )
})

test('of several points with the same key the same one counts in any order of arrival', () => {
  const one: Point = {
    kind: 'track',
    recordedAt: start,
    lat: 24,
    lng: 121,
    accuracy: 5,
    speed: 4,
    altitude: null,
    heading: null,
    source: 'auto',
  }
  const worse: Partial<Point>[] = [
    { accuracy: null },
    { accuracy: 5.1, lat: 23 },
    { lat: 24.1, lng: 120 },
    { lng: 121.1, speed: 0 },
    { speed: 4.1 },
    { speed: null },
  ]
  for (const more of worse) {
    const other = { ...one, ...more }
    expect([comparePreference(one, other), comparePreference(other, one)]).toEqual([-1, 1])
    for (const given of [
      [one, other],
      [other, one],
    ])
      expect(inOrder(given, (point) => point)).toEqual([one])
  }
  const same: Point = { ...one, source: 'web', altitude: 3 }
  expect(comparePreference(one, same)).toBe(0)
})

test('rule 1 applies to the point that counts: a worse one with the same key does not bring it back', () => {
  const at = (over: Partial<Point>): Point => ({
    kind: 'track',
    recordedAt: start,
    lat: 24,
    lng: 121,
    accuracy: 5,
    speed: null,
    altitude: null,
    heading: null,
    source: 'auto',
    ...over,
  })
  const tooFast = at({ recordedAt: start + 60_000, lat: 24.001, accuracy: 5, speed: 121 })
  const vague = at({ recordedAt: start + 60_000, lat: 24.001, accuracy: 20 })
  expect(distanceKm(trackOf([at({}), vague]))).toBeGreaterThan(0.1)
  expect(distanceKm(trackOf([at({}), vague, tooFast]))).toBe(0)
})

test('trackOf does not depend on the order or repetition of what it is given', () => {
  fc.assert(
    fc.property(delivery, options, ({ points, batches }, guard) => {
      expect(trackOf(batches.flat(), guard)).toEqual(trackOf(points, guard))
    }),
    { seed: 10, numRuns: 1500 },
  )
})

test('sorted batches of any size, and one point at a time, come to the same track', () => {
  fc.assert(
    fc.property(recording, fc.array(fc.integer({ min: 0, max: 9 })), options, (points, sizes, guard) => {
      const whole = trackOf(points, guard)
      const inBatches = split(points, sizes).reduce(
        (track, batch) => advanceAll(track, batch, guard),
        emptyTrack(),
      )
      const oneByOne = points.reduce((track, point) => advance(track, point, guard), emptyTrack())
      expect(inBatches).toEqual(whole)
      expect(oneByOne).toEqual(whole)
    }),
    { seed: 11, numRuns: 1500 },
  )
})

test('the distance is walked and motorized kilometres, never negative or falling, never more than all steps together', () => {
  fc.assert(
    fc.property(recording, (points) => {
      const eligible = points.filter(countsForDistance)
      const steps = eligible.slice(1).map((to, index) => greatCircleKm({ from: eligible[index] ?? to, to }))
      const stepsKm = steps.reduce((sum, km) => sum + km, 0)
      let track = emptyTrack()
      for (const point of points) {
        const next = advance(track, point)
        expect(next.walkedKm).toBeGreaterThanOrEqual(track.walkedKm)
        expect(next.motorizedKm).toBeGreaterThanOrEqual(track.motorizedKm)
        track = next
      }
      expect(distanceKm(track)).toBe(track.walkedKm + track.motorizedKm)
      expect(distanceKm(track)).toBeLessThanOrEqual(stepsKm * (1 + 1e-12))
      expect([track.points, track.checkins]).toEqual([
        points.length,
        points.filter(({ kind }) => kind === 'checkin').length,
      ])
      expect(track.noise.length).toBeLessThan(4)
    }),
    { seed: 12, numRuns: 1000 },
  )
})

test('the recordings of these properties exercise every rule', () => {
  const met = { walked: 0, motorized: 0, noise: 0, mended: 0 }
  const ties = fc
    .sample(recordings, { seed: 13, numRuns: 500 })
    .reduce((sum, points) => sum + points.length - inOrder(points, (point) => point).length, 0)
  expect(ties).toBeGreaterThan(100)
  for (const points of fc.sample(recording, { seed: 13, numRuns: 500 })) {
    let track = emptyTrack()
    for (const point of points) {
      const next = advance(track, point)
      if (next.walkedKm > track.walkedKm) met.walked++
      if (next.motorizedKm > track.motorizedKm) met.motorized++
      if (next.noise.length > track.noise.length) met.noise++
      if (track.noise.length === 3 && next.noise.length === 0 && next.anchor !== track.anchor) met.mended++
      track = next
    }
  }
  expect(Math.min(...Object.values(met))).toBeGreaterThan(20)
})
