import { expect, test } from 'bun:test'
import type { DeviceFix } from '@palanquin/domain/beacon'
import { seededRandom } from '@palanquin/testing/random'
import { TRAIL_MS, Trail } from './trail.ts'
import { TrailBody } from './trail-body.ts'

const NOW = Date.UTC(2026, 3, 17, 12)
const SECOND_MS = 1_000
/** A palanquin at 4 km/h, a fix a second of each of two phones. */
const fixAt = (second: number, deviceId = 'a'): DeviceFix => ({
  deviceId,
  lat: 24 + second * 1e-5,
  lng: 120.5 + Math.sin(second / 60) * 1e-3,
  accuracyM: 8,
  recordedAtMs: NOW - TRAIL_MS + second * SECOND_MS,
})
const trailOf = (fixes: readonly DeviceFix[]) => {
  const trail = new Trail()
  for (const fix of fixes) trail.add(fix)
  trail.update(NOW)
  return trail
}
type Line = { geometry: { coordinates: number[][] } | null; properties: { times: number[] } }
const read = (body: TrailBody, fromMs: number): Line => JSON.parse(body.since(fromMs).text)

test('in whatever order and batches fixes arrive, the way is the same', () => {
  const random = seededRandom(7)
  const fixes = Array.from({ length: 3_000 }, (_, n) => fixAt(n * 10, n % 700 < 350 ? 'a' : 'b'))
  const way = trailOf(fixes).way()
  expect(way.length).toBeGreaterThan(100)
  expect(way.map(({ recordedAtMs }) => recordedAtMs)).toEqual(
    way.map(({ recordedAtMs }) => recordedAtMs).toSorted((a, b) => a - b),
  )
  const late = new Trail()
  for (const [n, fix] of random.shuffle([...fixes, ...fixes.slice(0, 500)]).entries()) {
    late.add(fix)
    if (n % 900 === 0) late.update(NOW)
  }
  late.update(NOW)
  expect(late.way()).toEqual(way)
})

test('a phone that stays behind is not on the way while another carries', () => {
  const home = (second: number): DeviceFix => ({ ...fixAt(second, 'home'), lat: 23, lng: 120 })
  const fixes = Array.from({ length: 400 }, (_, n) => [fixAt(n * 10), home(n * 10 + 1)]).flat()
  expect(
    trailOf(fixes)
      .way()
      .every(({ deviceId }) => deviceId === 'a'),
  ).toBe(true)
})

test('what is older than half a day goes, and a device that was taken away with it', () => {
  const trail = trailOf([fixAt(0), fixAt(10_000), fixAt(20_000, 'b')])
  trail.keep(({ deviceId }) => deviceId === 'a')
  expect(trail.update(NOW + 7_200_000)).toBe(true)
  expect(trail.way().map(({ recordedAtMs }) => recordedAtMs)).toEqual([fixAt(10_000).recordedAtMs])
  expect(trail.update(NOW + 7_200_000)).toBe(false)
})

test('a reader gets a part of what is ready, with a tag of its own', () => {
  const way = [fixAt(0), fixAt(60), fixAt(120)]
  const body = new TrailBody(way)
  expect(read(body, 0).properties.times).toEqual(way.map(({ recordedAtMs }) => recordedAtMs))
  expect(read(body, fixAt(60).recordedAtMs).geometry?.coordinates).toEqual(
    way.slice(1).map(({ lng, lat }) => [lng, lat]),
  )
  expect(read(body, fixAt(61).recordedAtMs).geometry?.coordinates).toHaveLength(2)
  expect(read(body, NOW)).toEqual({
    type: 'Feature',
    geometry: null,
    properties: { times: [] },
  } as unknown as Line)
  expect(body.since(0).etag).not.toBe(body.since(NOW).etag)
})

test('a half day of a fix a second is cut for a reader in less than 5 ms of a processor, and so is what is new', () => {
  const trail = trailOf(Array.from({ length: TRAIL_MS / SECOND_MS }, (_, second) => fixAt(second)))
  const body = new TrailBody(trail.way())
  const READS = 300
  const cpuMs = (work: () => void): number => {
    const before = process.cpuUsage()
    work()
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 1_000
  }
  const encoder = new TextEncoder()
  const perRead = cpuMs(() => {
    for (let n = 0; n < READS; n++) encoder.encode(body.since(NOW - n * 60_000).text)
  })
  expect(perRead / READS).toBeLessThan(5)
  const perUpdate = cpuMs(() => {
    for (let n = 0; n < 20; n++) {
      trail.add(fixAt(TRAIL_MS / SECOND_MS + n))
      trail.update(NOW)
    }
  })
  expect(perUpdate / 20).toBeLessThan(5)
})
