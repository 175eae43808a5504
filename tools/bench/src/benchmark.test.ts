import { expect, test } from 'bun:test'
import { cpuRatioOf, isReached, median, ratioOf } from './benchmark.ts'

test('a ratio is that of the medians, with the range of the rounds', () => {
  const measured = { unit: 'ns', ours: [20, 40, 30], yardstick: [10, 10, 60], notes: [] }
  expect(ratioOf(measured)).toEqual({ ratio: 3, ratioLow: 0.5, ratioHigh: 4 })
  expect(median([4, 1, 3, 2])).toBe(2.5)
})

test('a target ratio is met from its own side, and a peer has none', () => {
  expect(isReached({ ratio: 0.22, better: 'more', wanted: 0.22 })).toBe(true)
  expect(isReached({ ratio: 0.21, better: 'more', wanted: 0.22 })).toBe(false)
  expect(isReached({ ratio: 1.3, better: 'less', wanted: 1.25 })).toBe(false)
  expect(isReached({ ratio: 9, better: 'more' })).toBeUndefined()
})

test('by processor time, twice the cost of a request is half the speed, or twice the cost where cost is the figure', () => {
  const cpuUs = { ours: [200, 100, 900], yardstick: [100, 100, 100] }
  expect(cpuRatioOf({ better: 'more', cpuUs })).toBe(0.5)
  expect(cpuRatioOf({ better: 'less', cpuUs })).toBe(2)
})

test('without processor times there is no ratio by processor time', () => {
  expect(cpuRatioOf({ better: 'more' })).toBeUndefined()
  for (const ours of [[0], [Number.NaN]])
    expect(cpuRatioOf({ better: 'more', cpuUs: { ours, yardstick: [10] } })).toBeUndefined()
})
