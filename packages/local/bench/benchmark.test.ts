import { expect, test } from 'bun:test'
import { isReached, median, ratioOf } from './benchmark.ts'

test('a ratio is that of the medians, with the range of the rounds beside it', () => {
  const measured = { unit: 'ns', ours: [20, 40, 30], yardstick: [10, 10, 60], notes: [] }
  expect(ratioOf(measured)).toEqual({ ratio: 3, ratioLow: 0.5, ratioHigh: 4 })
  expect(median([4, 1, 3, 2])).toBe(2.5)
})

test('a ratio that is wanted is reached from its own side, and none is wanted of a peer', () => {
  expect(isReached({ ratio: 0.22, better: 'more', wanted: 0.22 })).toBe(true)
  expect(isReached({ ratio: 0.21, better: 'more', wanted: 0.22 })).toBe(false)
  expect(isReached({ ratio: 1.3, better: 'less', wanted: 1.25 })).toBe(false)
  expect(isReached({ ratio: 9, better: 'more' })).toBeUndefined()
})
