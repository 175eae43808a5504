import { expect, test } from 'bun:test'
import { mercator, movingDots } from './moving-dots.ts'

const centre = { lat: 24, lng: 120.5 }
const at = (id: string, lat: number, lng: number) => ({ id, lat, lng, recordedAtMs: 0, name: null })
const HERE = at('a', 24.1, 120.6)
const THERE = at('a', 24.1, 120.601)

const lngOf = (dots: ReturnType<typeof movingDots>, nowMs: number) =>
  dots.places(nowMs).map(({ x }) => Math.round((x * 360 - 180) * 1e5) / 1e5)

test('a dot stands where it appeared, glides to its next place, and never beyond', () => {
  const dots = movingDots({ centre, max: 10, lastsMs: 1_000 })
  dots.set([HERE], 0)
  expect(lngOf(dots, 500)).toEqual([120.6])
  dots.set([THERE], 1_000)
  expect([1_000, 1_500, 2_000, 9_000].map((ms) => lngOf(dots, ms)[0])).toEqual([
    120.6, 120.6005, 120.601, 120.601,
  ])
})

test('new positions in the middle of a glide go on from where the dot is', () => {
  const dots = movingDots({ centre, max: 10, lastsMs: 1_000 })
  dots.set([HERE], 0)
  dots.set([THERE], 0)
  dots.set([HERE], 500)
  expect(lngOf(dots, 500)).toEqual([120.6005])
  expect(lngOf(dots, 1_500)).toEqual([120.6])
})

test('with reduced motion a dot is at once where it is', () => {
  const dots = movingDots({ centre, max: 10, lastsMs: 0 })
  dots.set([HERE], 0)
  dots.set([THERE], 1)
  expect([dots.part(1), ...lngOf(dots, 1)]).toEqual([1, 120.601])
})

test('positions are exact to a decimetre in 32 bits, and no more are kept than fit', () => {
  const dots = movingDots({ centre, max: 2, lastsMs: 0 })
  dots.set([HERE, at('b', 25, 121.4), at('c', 24, 120)], 0)
  expect(dots.count()).toBe(2)
  const METRES = 40_075_017
  for (const { person, x, y } of dots.places(0)) {
    const exact = mercator(person)
    expect(Math.hypot(exact.x - x, exact.y - y) * METRES).toBeLessThan(0.1)
  }
})
