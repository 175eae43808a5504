import { expect, test } from 'bun:test'
import { greatCircleKm } from '@palanquin/domain/geo'
import fc from 'fast-check'
import { type Sampling, sample } from './sampling.ts'

type Fix = { lat: number; lng: number; recordedAt: number; accuracy: number }
const METRE = 1 / 111_195
const SECOND = 1_000
/** A fix so many metres north and seconds later than the start. */
const fix = (north: number, seconds: number, accuracy = 8): Fix => ({
  lat: 24 + north * METRE,
  lng: 120,
  recordedAt: seconds * SECOND,
  accuracy,
})
function kept(fixes: readonly Fix[]): Fix[] {
  let state: Sampling = null
  return fixes.filter((one) => {
    const { keep, after } = sample(state, one)
    state = after
    return keep
  })
}

test('the first fix, each after ten metres, and each after half a minute', () => {
  const fixes = [fix(0, 0), fix(4, 5), fix(9, 10), fix(10.5, 12), fix(12, 30), fix(13, 42), fix(14, 43)]
  expect(kept(fixes)).toEqual([fix(0, 0), fix(10.5, 12), fix(13, 42)])
})

test('a fix with an accuracy above 100 m, or without one, is kept out', () => {
  expect(kept([fix(0, 0, 101), fix(0, 1, 100), fix(50, 2, Number.NaN), fix(50, 3, 5_000)])).toEqual([
    fix(0, 1, 100),
  ])
})

test('after five minutes at one place a point is taken every five minutes, until it moves', () => {
  const standing = Array.from({ length: 1_201 }, (_, second) => fix(Math.sin(second) * 3, second))
  const times = kept([...standing, fix(15, 1_201), fix(15, 1_231)]).map(
    ({ recordedAt }) => recordedAt / SECOND,
  )
  expect(times).toEqual([0, 30, 60, 90, 120, 150, 180, 210, 240, 270, 570, 870, 1_170, 1_201, 1_231])
})

test('kept points are accurate, in order, and no gap between good fixes is longer than the rule allows', () => {
  const step = fc.record({
    north: fc.double({ min: -20, max: 20, noNaN: true }),
    seconds: fc.integer({ min: -5, max: 40 }),
    accuracy: fc.double({ min: 0, max: 200, noNaN: true }),
  })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
      let [north, seconds] = [0, 0]
      const fixes = steps.map((by) => {
        north += by.north
        seconds += by.seconds
        return fix(north, seconds, by.accuracy)
      })
      const points = kept(fixes)
      for (const [index, point] of points.entries()) {
        const last = points[index - 1]
        expect(point.accuracy).toBeLessThanOrEqual(100)
        if (last === undefined) continue
        const [ms, metres] = [
          point.recordedAt - last.recordedAt,
          greatCircleKm({ from: last, to: point }) * 1_000,
        ]
        expect(ms).toBeGreaterThan(0)
        expect(metres >= 10 || ms >= 30 * SECOND).toBe(true)
      }
    }),
    { seed: 18 },
  )
})
