import { expect, test } from 'bun:test'
import { KnownTokens } from './known-tokens.ts'

test('memory is bounded: the oldest go first, and refused tokens push no proven one out', () => {
  const known = new KnownTokens()
  for (let i = 0; i < 120_000; i++) known.prove(`good-${i}`, { userId: `U${i}`, untilMs: 1_000 })
  for (let i = 0; i < 30_000; i++) known.refuse(`bad-${i}`, 'invalid', 0)
  const { proven, refused } = known.size
  expect(proven).toBeWithin(50_000, 100_001)
  expect(refused).toBeWithin(5_000, 10_001)
  expect(known.find('good-0', 0)).toBeUndefined()
  expect(known.find('good-119999', 0)).toEqual({ userId: 'U119999', untilMs: 1_000 })
  expect(known.find('bad-0', 0)).toBeUndefined()
  expect(known.find('bad-29999', 0)).toBe('invalid')
})
