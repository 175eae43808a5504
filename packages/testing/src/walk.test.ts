import { expect, test } from 'bun:test'
import { distanceKm, trackOf } from '@palanquin/domain/distance'
import { greatCircleKm } from '@palanquin/domain/geo'
import { judgePoint } from '@palanquin/domain/point/judge'
import { DEPARTURE_MS } from './clock.ts'
import { phonePoint, shuffledBatches, syncBody } from './request-body.ts'
import { PILGRIMAGE_ROUTE, routeAlong } from './route.ts'
import { type WalkOptions, walk } from './walk.ts'

const HARD = { stops: 2, gaps: 2, tunnels: 2, falseFixes: 2, rides: 1 } as const
const SEEDS = Array.from({ length: 10 }, (_, index) => index + 1)

test('the same seed gives the same walk, another seed another', () => {
  expect(walk({ seed: 1, ...HARD })).toEqual(walk({ seed: 1, ...HARD }))
  expect(walk({ seed: 1, ...HARD })).not.toEqual(walk({ seed: 2, ...HARD }))
})

test.each<[string, Partial<WalkOptions>, number]>([
  ['a plain walk', {}, 0.05],
  ['with rests', { stops: 3 }, 0.06],
  ['with a phone that sleeps', { gaps: 3 }, 0.08],
  ['with tunnels', { tunnels: 3 }, 0.08],
  ['with false fixes', { falseFixes: 3 }, 0.05],
  ['with rides', { rides: 2 }, 0.05],
  ['with all of it at once', HARD, 0.08],
])('%s: the rules of the distance find what was really covered', (_, options, tolerance) => {
  for (const seed of SEEDS) {
    const { points, walkedKm, riddenKm } = walk({ seed, ...options })
    const track = trackOf(points)
    const coveredKm = walkedKm + riddenKm
    expect(Math.abs(distanceKm(track) - coveredKm) / coveredKm).toBeLessThan(tolerance)
    // What a phone slept through was walked or ridden: no rule can know.
    if (options.gaps === undefined)
      expect(Math.abs(track.motorizedKm - riddenKm)).toBeLessThan(0.1 * riddenKm + 0.5)
  }
})

test('every point of a walk is accepted as it leaves the phone, and comes out as it went in', () => {
  const { points } = walk({ seed: 3, ...HARD })
  const now = points.at(-1)?.recordedAt ?? 0
  for (const point of points) {
    const verdict = judgePoint(phonePoint(point), {
      now,
      sources: ['auto'],
      defaultSource: 'auto',
      kind: 'track',
    })
    expect(verdict).toEqual({ point })
  }
})

test('batches hold every point as often as asked for, in sizes as asked for', () => {
  const { points } = walk({ seed: 4, hours: 1 })
  const batches = shuffledBatches(points, { seed: 4, sizeMax: 50, times: 2 })
  expect(batches.every((batch) => batch.length >= 1 && batch.length <= 50)).toBe(true)
  const inOrder = batches.flat().sort((a, b) => a.recordedAt - b.recordedAt)
  expect(inOrder).toEqual(points.flatMap((point) => [point, point]))
  expect(batches.flat()).not.toEqual(inOrder)
  expect(syncBody('participant', points.slice(0, 2)).points).toHaveLength(2)
})

test('a route leads from its first place to its last and back', () => {
  const route = routeAlong(PILGRIMAGE_ROUTE)
  const first = PILGRIMAGE_ROUTE[0] ?? { lat: 0, lng: 0 }
  const last = PILGRIMAGE_ROUTE.at(-1) ?? first
  for (const [km, place] of [
    [0, first],
    [route.lengthKm, last],
    [2 * route.lengthKm, first],
  ] as const)
    expect(greatCircleKm({ from: route.placeAt(km), to: place })).toBeLessThan(0.001)
  expect(walk({ seed: 1, startMs: DEPARTURE_MS }).points[0]?.recordedAt).toBe(DEPARTURE_MS)
})
