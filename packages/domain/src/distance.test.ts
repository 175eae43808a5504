import { expect, test } from 'bun:test'
import {
  advance,
  advanceAll,
  comparePoints,
  distanceKm,
  emptyTrack,
  isAfter,
  samePointKey,
  type Track,
  trackOf,
} from './distance'
import { greatCircleKm } from './geo'
import type { Point } from './point'

const start = Date.UTC(2026, 4, 1, 12)
const SECOND = 1000
const MINUTE = 60_000
const HOUR = 3_600_000

/** A point on the meridian of 121°, its time counted from the start. */
function at(afterMs: number, lat: number, more: Partial<Point> = {}): Point {
  const nothing = { accuracy: null, speed: null, altitude: null, heading: null }
  return { kind: 'track', recordedAt: start + afterMs, lat, lng: 121, ...nothing, source: 'auto', ...more }
}

/** The latitude that lies so many kilometres north of the equator, to within a metre's millionth. */
function north(km: number): number {
  return (km / 6371.0088) * (180 / Math.PI)
}

function kmTo(lat: number): number {
  return greatCircleKm({ from: { lat: 0, lng: 121 }, to: { lat, lng: 121 } })
}

/** Latitudes whose computed distance from the equator is exactly `km`, the next below. */
function latitudesAround(km: number): { below: number; exactly: number; above: number } {
  return { below: latitudeOf(km, -1), exactly: latitudeOf(km, 0), above: latitudeOf(km, 1) }
}

function latitudeOf(km: number, side: -1 | 0 | 1): number {
  const ulp = 2 ** -53
  for (let step = 0; step < 64; step++) {
    const lat = north(km) * (1 + (side === 0 ? (step % 2 === 0 ? step : -step) : side * step) * ulp)
    if (Math.sign(kmTo(lat) - km) === side) return lat
  }
  throw new Error(`no latitude near ${km} km`)
}

function walkedAndDriven(points: Point[], driftGuard = false): [number, number] {
  const track = trackOf(points, { driftGuard })
  return [track.walkedKm, track.motorizedKm]
}

test('a phone that reports each second for an hour along a straight line of 5 km walked 5 km', () => {
  const points = Array.from({ length: 3601 }, (_, second) => at(second * SECOND, north((5 * second) / 3600)))
  const track = trackOf(points)
  expect(track.walkedKm).toBeCloseTo(5, 9)
  expect(track.motorizedKm).toBe(0)
  expect(track.points).toBe(3601)
})

test('a single false fix 500 km away adds nothing', () => {
  const walk = Array.from({ length: 61 }, (_, minute) => at(minute * MINUTE, north((5 * minute) / 60)))
  const clean = trackOf(walk)
  const spoilt = trackOf([...walk, at(30 * MINUTE + 1, north(500))])
  expect(distanceKm(spoilt)).toBe(distanceKm(clean))
  expect(spoilt.anchor).toEqual(clean.anchor)
})

test('one point is no distance', () => {
  expect(distanceKm(emptyTrack())).toBe(0)
  expect(distanceKm(trackOf([at(0, 24)]))).toBe(0)
})

test('exactly 10 m counts, just below is static', () => {
  const { below, exactly, above } = latitudesAround(0.01)
  expect(walkedAndDriven([at(0, 0), at(MINUTE, exactly)])).toEqual([0.01, 0])
  expect(walkedAndDriven([at(0, 0), at(MINUTE, below)])).toEqual([0, 0])
  expect(walkedAndDriven([at(0, 0), at(MINUTE, above)])).toEqual([kmTo(above), 0])
})

test('exactly 30 s counts, a millisecond less is erratic', () => {
  const lat = north(0.05)
  expect(walkedAndDriven([at(0, 0), at(30 * SECOND, lat)])).toEqual([kmTo(lat), 0])
  expect(walkedAndDriven([at(0, 0), at(30 * SECOND - 1, lat)])).toEqual([0, 0])
})

test('exactly 15 km/h is walking, just above is motorized', () => {
  const { below, exactly, above } = latitudesAround(5)
  expect(walkedAndDriven([at(0, 0), at(20 * MINUTE, exactly)])).toEqual([5, 0])
  expect(walkedAndDriven([at(0, 0), at(20 * MINUTE, below)])).toEqual([kmTo(below), 0])
  expect(walkedAndDriven([at(0, 0), at(20 * MINUTE, above)])).toEqual([0, kmTo(above)])
})

test('exactly 300 km/h is a (fast) train, just above is noise', () => {
  const { below, exactly, above } = latitudesAround(300)
  expect(walkedAndDriven([at(0, 0), at(HOUR, exactly)])).toEqual([0, 300])
  expect(walkedAndDriven([at(0, 0), at(HOUR, below)])).toEqual([0, kmTo(below)])
  expect(walkedAndDriven([at(0, 0), at(HOUR, above)])).toEqual([0, 0])
})

test('reported speed 120 and accuracy 100 count, 120.1 and 100.1 do not; missing values do', () => {
  const lat = north(0.05)
  const km = (more: Partial<Point>) => distanceKm(trackOf([at(0, 0), at(MINUTE, lat, more)]))
  expect([km({ speed: 120 }), km({ accuracy: 100 }), km({ speed: null, accuracy: null })]).toEqual(
    Array(3).fill(kmTo(lat)),
  )
  expect([km({ speed: 120.1 }), km({ accuracy: 100.1 })]).toEqual([0, 0])
})

test('a point that is not eligible is counted as a point, but is not even an anchor', () => {
  const track = trackOf([at(0, 40, { accuracy: 500 }), at(MINUTE, 0), at(2 * MINUTE, north(0.1))])
  expect(track.points).toBe(3)
  expect(distanceKm(track)).toBe(kmTo(north(0.1)))
})

test('a check-in counts once whatever its accuracy, and is a point as well', () => {
  const bad = at(MINUTE, north(0.1), { kind: 'checkin', accuracy: 2000 })
  const track = trackOf([at(0, 0), bad, bad, at(2 * MINUTE, north(0.1), { kind: 'checkin' })])
  expect([track.checkins, track.points]).toEqual([2, 3])
  expect(distanceKm(track)).toBe(kmTo(north(0.1)))
})

test('a static segment leaves the anchor where it was, so that slow steps add up', () => {
  const points = [at(0, 0), at(MINUTE, north(0.006)), at(2 * MINUTE, north(0.012))]
  expect(distanceKm(trackOf(points))).toBe(kmTo(north(0.012)))
})

test('no distance in no time is static, some distance in no time is noise', () => {
  const still = trackOf([at(0, 0), at(0, 0, { kind: 'checkin' })])
  expect([still.noise.length, distanceKm(still)]).toEqual([0, 0])
  const jumped = trackOf([at(0, 0, { kind: 'checkin' }), at(0, north(0.001))])
  expect([jumped.noise.length, distanceKm(jumped)]).toEqual([1, 0])
})

test('of two points at one time the check-in comes first, in whatever order they are given', () => {
  const checkin = at(0, 0, { kind: 'checkin' })
  const track = at(0, 1)
  const later = at(MINUTE, north(0.1))
  expect(comparePoints(checkin, track)).toBeLessThan(0)
  expect(trackOf([track, checkin, later])).toEqual(trackOf([checkin, track, later]))
  expect(distanceKm(trackOf([track, checkin, later]))).toBe(kmTo(north(0.1)))
})

test('of points with the same key the more accurate counts, whichever was given first', () => {
  const vague = at(MINUTE, north(0.1))
  const sure = at(MINUTE, north(0.2), { source: 'web', accuracy: 90 })
  expect(samePointKey(vague, sure)).toBe(true)
  expect(trackOf([at(0, 0), vague, sure])).toEqual(trackOf([at(0, 0), sure]))
  expect(trackOf([sure, at(0, 0), vague])).toEqual(trackOf([at(0, 0), sure]))
})

test('a track can advance by a point after all counted ones, not by the same or an older one', () => {
  const track = trackOf([at(0, 0), at(MINUTE, 0)])
  expect(isAfter(emptyTrack(), at(0, 0))).toBe(true)
  expect(isAfter(track, at(MINUTE + 1, 0))).toBe(true)
  expect(isAfter(track, at(MINUTE, 0))).toBe(false)
  expect(isAfter(track, at(MINUTE, 0, { kind: 'checkin' }))).toBe(false)
  expect(isAfter(trackOf([at(0, 0, { kind: 'checkin' })]), at(0, 0))).toBe(true)
})

test('the same point again gives the same track; an older one throws', () => {
  const point = at(MINUTE, 0)
  const track = advance(emptyTrack(), point)
  expect(advance(track, { ...point, lat: 5 })).toBe(track)
  expect(advanceAll(track, [])).toBe(track)
  expect(() => advance(track, at(0, 0))).toThrow('older than what was counted')
  expect(() => advance(track, at(MINUTE, 0, { kind: 'checkin' }))).toThrow('older than what was counted')
  expect(() => advanceAll(emptyTrack(), [at(1, 0), at(0, 0)])).toThrow('older than what was counted')
})

test('a track is never changed by advancing it, and survives being stored as JSON', () => {
  const points = [at(0, 0), at(MINUTE, 0.2), at(2 * MINUTE, 0.4), at(3 * MINUTE, 5), at(HOUR, north(1))]
  const freeze = (track: Track): Track => {
    Object.freeze(track.noise)
    return Object.freeze(track)
  }
  const frozen = points.reduce((track, point) => freeze(advance(track, point)), freeze(emptyTrack()))
  const stored = points.reduce<Track>(
    (track, point) => JSON.parse(JSON.stringify(advance(track, point))),
    emptyTrack(),
  )
  expect(frozen).toEqual(trackOf(points))
  expect(stored).toEqual(trackOf(points))
})

test('a track knows its last point and where it was, whether that counted or not', () => {
  const track = trackOf([at(0, 0), at(MINUTE, 3, { kind: 'checkin', accuracy: 900 })])
  expect(track.last).toEqual({ recordedAt: start + MINUTE, kind: 'checkin' })
  expect(track.lastFix).toEqual({ lat: 3, lng: 121, recordedAt: start + MINUTE, accuracy: 900 })
})

test('a phone that lies still for a night adds nothing under the drift guard', () => {
  const night = Array.from({ length: 480 }, (_, minute) =>
    at(minute * MINUTE, north(0.02 * Math.sin(minute)), { accuracy: 45 }),
  )
  expect(distanceKm(trackOf(night))).toBeGreaterThan(1)
  expect(distanceKm(trackOf(night, { driftGuard: true }))).toBe(0)
})
