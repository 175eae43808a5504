import { expect, test } from 'bun:test'
import { seededRandom } from '@palanquin/testing/random'
import { slopeOf } from './slope.ts'

const MINUTE_MS = 60_000
const samples = (valueAt: (minute: number) => number) =>
  Array.from({ length: 120 }, (_, at) => ({ atMs: (at * MINUTE_MS) / 4, value: valueAt(at / 4) }))

test('a straight line has its slope and no error', () => {
  const slope = slopeOf(samples((minute) => 100 + minute))
  expect(slope?.perHour).toBeCloseTo(60, 6)
  expect(slope?.error).toBeCloseTo(0, 6)
})

test('noise around a level is no growth within its error, and noise around a trend is', () => {
  const random = seededRandom(1)
  const flat = slopeOf(samples(() => 100 + random.normal()))
  const rising = slopeOf(samples((minute) => 100 + minute + random.normal()))
  expect(Math.abs(flat?.perHour ?? 99)).toBeLessThan(3 * (flat?.error ?? 0))
  expect(rising?.perHour).toBeGreaterThan(10 * (rising?.error ?? 99))
})

test('too few samples say nothing', () => {
  expect(slopeOf(samples(() => 1).slice(0, 5))).toBeUndefined()
})
