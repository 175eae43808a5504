import type { Point } from '@palanquin/domain/point'
import { POINT_AGE_MS_MAX, SMALLEST_MEASURE } from '@palanquin/domain/point/judge'
import fc from 'fast-check'
import { DEPARTURE_MS } from './clock.ts'

/** As a point keeps it: what is next to nothing is 0. */
const number = (min: number, max: number) =>
  fc.double({ min, max, noNaN: true }).map((value) => (Math.abs(value) < SMALLEST_MEASURE ? 0 : value))
const measured = (min: number, max: number) => fc.option(number(min, max), { nil: null, freq: 4 })

/** Any valid point anywhere on the Earth, checked in or tracked, within the month before `now`. */
export function anyPoint({ now = DEPARTURE_MS }: { now?: number } = {}): fc.Arbitrary<Point> {
  return fc.record({
    kind: fc.constantFrom('checkin', 'track'),
    recordedAt: fc.integer({ min: now - POINT_AGE_MS_MAX, max: now }),
    lat: number(-90, 90),
    lng: number(-180, 180),
    accuracy: measured(0, 2_000),
    speed: measured(0, 400),
    altitude: measured(-100, 4_000),
    heading: measured(0, 360),
    source: fc.constantFrom('auto', 'liff', 'owntracks'),
  })
}

/** A phone's steps: most are a few metres in some seconds, some jump, stand still or share a time. */
const step = fc.record({
  elapsedMs: fc.oneof(
    { weight: 6, arbitrary: fc.integer({ min: 1_000, max: 120_000 }) },
    { weight: 1, arbitrary: fc.constant(0) },
    { weight: 1, arbitrary: fc.integer({ min: 120_000, max: 7_200_000 }) },
  ),
  north: fc.oneof(
    { weight: 8, arbitrary: fc.double({ min: -0.002, max: 0.002, noNaN: true }) },
    { weight: 1, arbitrary: fc.constant(0) },
    { weight: 1, arbitrary: fc.double({ min: -3, max: 3, noNaN: true }) },
  ),
  east: fc.double({ min: -0.002, max: 0.002, noNaN: true }),
  kind: fc.oneof(
    { weight: 9, arbitrary: fc.constant<'track'>('track') },
    { weight: 1, arbitrary: fc.constant<'checkin'>('checkin') },
  ),
  accuracy: fc.option(fc.double({ min: 1, max: 150, noNaN: true }), { nil: null }),
  speed: fc.option(fc.double({ min: 0, max: 150, noNaN: true }), { nil: null }),
})

/** A track that goes through every rule of the distance. */
export function anyTrack({ maxLength = 60, startMs = DEPARTURE_MS } = {}): fc.Arbitrary<Point[]> {
  return fc.array(step, { minLength: 1, maxLength }).map((steps) => {
    const at = { ms: startMs, lat: 24.1, lng: 120.6 }
    return steps.map(({ elapsedMs, north, east, kind, accuracy, speed }): Point => {
      at.ms += elapsedMs
      at.lat = Math.max(-89, Math.min(89, at.lat + north))
      at.lng += east
      const place = { lat: at.lat, lng: at.lng }
      return {
        kind,
        recordedAt: at.ms,
        ...place,
        accuracy,
        speed,
        altitude: null,
        heading: null,
        source: 'auto',
      }
    })
  })
}

/** A `userId` of any allowed shape; LINE's own shape often. */
export const anyUserId = (): fc.Arbitrary<string> =>
  fc.oneof(fc.stringMatching(/^U[0-9a-f]{32}$/), fc.stringMatching(/^[A-Za-z0-9_-]{1,64}$/))
