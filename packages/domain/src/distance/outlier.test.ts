import { expect, test } from 'bun:test'
import { advance, distanceKm, emptyTrack, type Track, trackOf } from '../distance'
import { greatCircleKm } from '../geo'
import type { Point } from '../point'

const start = Date.UTC(2026, 4, 1, 12)
const MINUTE = 60_000

/** A point `km` north of the equator on the meridian of 121°. */
function at(minute: number, km: number, more: Partial<Point> = {}): Point {
  const nothing = { accuracy: null, speed: null, altitude: null, heading: null }
  const lat = (km / 6371.0088) * (180 / Math.PI)
  return {
    kind: 'track',
    recordedAt: start + minute * MINUTE,
    lat,
    lng: 121,
    ...nothing,
    source: 'auto',
    ...more,
  }
}

function kmBetween(from: Point, to: Point): number {
  return greatCircleKm({ from, to })
}

function noiseTimes(track: Track): number[] {
  return track.noise.map((fix) => (fix.recordedAt - start) / MINUTE)
}

test('four consistent points in a row show that the anchor is wrong: counting continues from the first of them', () => {
  const [wrong, ...walk] = [at(0, 500), at(1, 0), at(2, 0.1), at(3, 0.2), at(4, 0.3), at(5, 0.4)]
  const [a, b, c, d, e] = walk
  if (!wrong || !a || !b || !c || !d || !e) throw new Error('six points')
  const before = trackOf([wrong, a, b, c])
  expect([distanceKm(before), noiseTimes(before)]).toEqual([0, [1, 2, 3]])
  expect(before.anchor?.lat).toBe(wrong.lat)
  const after = advance(before, d)
  expect(after.noise).toEqual([])
  expect(after.anchor?.lat).toBe(d.lat)
  expect(distanceKm(after)).toBe(kmBetween(a, b) + kmBetween(b, c) + kmBetween(c, d))
  expect(distanceKm(advance(after, e))).toBe(distanceKm(after) + kmBetween(d, e))
})

test('the rules apply again to the other three: static ones stay static, fast ones are motorized', () => {
  const points = [at(0, 900), at(1, 0), at(1.1, 0.2), at(2, 0.005), at(3, 2)]
  const track = trackOf(points)
  const [, a, , , d] = points
  if (!a || !d) throw new Error('five points')
  expect([track.walkedKm, track.motorizedKm]).toEqual([0, kmBetween(a, d)])
  expect(track.anchor?.recordedAt).toBe(d.recordedAt)
})

test('three are not enough, and leave no trace when the walk continues from the anchor', () => {
  const track = trackOf([at(0, 0), at(1, 500), at(2, 500), at(3, 500), at(4, 0.2)])
  expect(track.noise).toEqual([])
  expect(distanceKm(track)).toBe(kmBetween(at(0, 0), at(4, 0.2)))
})

test('a static or a counted point between them breaks the run', () => {
  for (const between of [at(2.5, 0.001), at(2.5, 0.2)]) {
    const track = trackOf([at(0, 0), at(1, 500), at(2, 500), between, at(3, 500), at(4, 500)])
    expect(noiseTimes(track)).toEqual([3, 4])
    expect(
      trackOf([at(0, 0), at(1, 500), at(2, 500), between, at(3, 500), at(4, 500), at(5, 500)]).noise.length,
    ).toBe(3)
  }
})

test('a point that rule 2.6.1 excludes is not part of the run, and does not break it', () => {
  const out = at(2.5, 0.1, { accuracy: 300 })
  const track = trackOf([at(0, 0), at(1, 500), at(2, 500), out, at(3, 500), at(4, 500)])
  expect(track.noise).toEqual([])
  expect(track.anchor?.recordedAt).toBe(start + MINUTE)
  expect([distanceKm(track), track.points]).toEqual([0, 6])
})

test('four points with one inconsistent pair show nothing; the window slides by one', () => {
  const astray = trackOf([at(0, 0), at(1, 2000), at(2, 500), at(3, 500.1), at(4, 500.2)])
  expect([distanceKm(astray), noiseTimes(astray)]).toEqual([0, [2, 3, 4]])
  expect(astray.anchor?.recordedAt).toBe(start)
  const found = advance(astray, at(5, 500.3))
  expect(found.anchor?.recordedAt).toBe(start + 5 * MINUTE)
  expect(distanceKm(found)).toBeCloseTo(0.3, 9)
})

test('two places at one time are inconsistent, one place twice at one time is consistent', () => {
  const points = [at(0, 900), at(1, 0), at(2, 0.1), at(3, 0.2, { kind: 'checkin' }), at(3, 0.25)]
  expect(trackOf(points).noise.length).toBe(3)
  const same = [at(0, 900), at(1, 0), at(2, 0.1), at(3, 0.2, { kind: 'checkin' }), at(3, 0.2)]
  expect(trackOf(same).noise).toEqual([])
})

test('exactly 300 km/h between points is still consistent', () => {
  // Four places of which each is 5 km from the next in a minute.
  const run = (km: number) => trackOf([at(0, 9000), at(1, 0), at(2, km), at(3, 2 * km), at(4, 3 * km)])
  expect(run(4.9999999).noise).toEqual([])
  expect(run(5.0000001).noise.length).toBe(3)
})

test('the run is part of the track and survives between batches', () => {
  const points = [at(0, 500), at(1, 0), at(2, 0.1), at(3, 0.2), at(4, 0.3), at(5, 0.4)]
  expect(points.reduce((track, point) => advance(track, point), emptyTrack())).toEqual(trackOf(points))
})

test('after an anchor was replaced, the next four points can replace it again', () => {
  const there = [at(1, 500), at(2, 500.1), at(3, 500.2), at(4, 500.3)]
  const back = [at(5, 0), at(6, 0.1), at(7, 0.2), at(8, 0.3)]
  const track = trackOf([at(0, 0), ...there, ...back])
  expect(distanceKm(track)).toBeCloseTo(0.6, 9)
  expect(track.anchor?.recordedAt).toBe(start + 8 * MINUTE)
})
