import { expect, test } from 'bun:test'
import { median, ratioOf } from './benchmark.ts'

test('a ratio is that of the medians, with the range of the rounds beside it', () => {
  const measured = { unit: 'ns', ours: [20, 40, 30], yardstick: [10, 10, 60], notes: [] }
  expect(ratioOf(measured)).toEqual({ ratio: 3, ratioLow: 0.5, ratioHigh: 4 })
  expect(median([4, 1, 3, 2])).toBe(2.5)
})
