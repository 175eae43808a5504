import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { simplifiedIndices } from './simplify'

const METRE = 1 / 111_195
const line = fc.array(
  fc.tuple(fc.double({ min: 120, max: 120.1, noNaN: true }), fc.double({ min: 24, max: 24.1, noNaN: true })),
  { maxLength: 60 },
)

test('both ends stay, and the more tolerance the fewer points', () => {
  fc.assert(
    fc.property(line, (points) => {
      const fine = simplifiedIndices(points, 1)
      const coarse = simplifiedIndices(points, 1_000)
      expect(coarse.length).toBeLessThanOrEqual(fine.length)
      if (points.length > 1) expect([fine[0], fine.at(-1)]).toEqual([0, points.length - 1])
    }),
    { seed: 17 },
  )
})

test('a point that is further away than the tolerance stays, a nearer one goes', () => {
  const bent = (metres: number): [number, number][] => [
    [120, 24],
    [120.01, 24 + metres * METRE],
    [120.02, 24],
  ]
  expect(simplifiedIndices(bent(9), 10)).toEqual([0, 2])
  expect(simplifiedIndices(bent(11), 10)).toEqual([0, 1, 2])
})

test('a loop that comes back to its start keeps its far side', () => {
  expect(
    simplifiedIndices(
      [
        [120, 24],
        [120.01, 24],
        [120, 24],
      ],
      10,
    ),
  ).toEqual([0, 1, 2])
})
