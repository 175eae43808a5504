import { expect, test } from 'bun:test'
import { crowdOf, densityOf } from '@palanquin/domain/density'
import fc from 'fast-check'
import { blobsOf } from './density.ts'

const crowd = fc.array(
  fc.record({
    lat: fc.double({ min: 23.4, max: 24.8, noNaN: true }),
    lng: fc.double({ min: 120.1, max: 121, noNaN: true }),
    n: fc.integer({ min: 3, max: 40 }),
  }),
  { maxLength: 40 },
)
const total = (counts: readonly number[]) => counts.reduce((sum, n) => sum + n, 0)

test('no one is missing from groups, which come apart by zooming in', () => {
  fc.assert(
    fc.property(crowd, (places) => {
      const people = places.flatMap(({ n, ...place }) => Array.from({ length: n }, () => place))
      const density = densityOf(crowdOf(people), null)
      const groups = [5, 7, 9, 11, 12, 13].map((zoom) =>
        blobsOf(density, zoom).features.map(({ properties }) => properties.n),
      )
      for (const counts of groups) expect(total(counts)).toBe(total(density.n))
      const sizes = groups.map((counts) => counts.length)
      expect(sizes).toEqual(sizes.toSorted((a, b) => a - b))
      expect(groups.at(-1)).toHaveLength(density.n.length)
    }),
    { seed: 3, numRuns: 60 },
  )
})

test('a group stands in the middle of its people', () => {
  const density = { cellDegrees: 1 / 400, west: 120.5, south: 24, x: [0, 1], y: [0, 0], n: [30, 10] }
  const [blob] = blobsOf(density, 6).features
  expect(blob?.properties.n).toBe(40)
  const [lng = 0, lat = 0] = blob?.geometry.coordinates ?? []
  expect(lng).toBeCloseTo(120.5 + (0.5 * 30 + 1.5 * 10) / 40 / 400, 9)
  expect(lat).toBeCloseTo(24 + 0.5 / 400, 9)
})
