import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { cellDegrees, cellIndex, ROLLUP_LEVEL, ZOOM_MAX } from './grid'

const degrees = fc.oneof(
  fc.double({ min: -180, max: 180, noNaN: true }),
  fc.integer({ min: -1_800_000, max: 1_800_000 }).map((n) => n / 10_000),
  fc.integer({ min: -(2 ** 15), max: 2 ** 15 }).map((n) => n * cellDegrees(ROLLUP_LEVEL)),
)

test('a cell consists of whole cells of every finer zoom, also for places on an edge', () => {
  fc.assert(
    fc.property(degrees, fc.integer({ min: 0, max: ZOOM_MAX - 1 }), (x, zoom) => {
      expect(cellIndex(x, zoom + 1) >> 1).toBe(cellIndex(x, zoom))
    }),
    { seed: 20260503, numRuns: 2_000 },
  )
})

test('cells come in the order of their places', () => {
  fc.assert(
    fc.property(degrees, degrees, fc.integer({ min: 0, max: ZOOM_MAX }), (a, b, zoom) => {
      if (a <= b) expect(cellIndex(a, zoom)).toBeLessThanOrEqual(cellIndex(b, zoom))
    }),
    { seed: 20260504, numRuns: 2_000 },
  )
})

test('a cell is a quarter of the way round at zoom 0 and some ten metres at zoom 20', () => {
  expect(cellDegrees(0)).toBe(90)
  expect(cellDegrees(ZOOM_MAX) * 111_195).toBeCloseTo(9.54, 1)
})
