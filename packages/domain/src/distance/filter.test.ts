import { expect, test } from 'bun:test'
import { countsForDistance } from './filter'

test('speed 120 and accuracy 100 count, anything above does not, and a missing value counts', () => {
  const of = (speed: number | null, accuracy: number | null) => countsForDistance({ speed, accuracy })
  expect([of(120, 100), of(null, null), of(null, 100), of(120, null), of(0, 0)]).toEqual(Array(5).fill(true))
  expect([of(120.1, 5), of(5, 100.1), of(null, 100.1), of(120.1, null)]).toEqual(Array(4).fill(false))
})
