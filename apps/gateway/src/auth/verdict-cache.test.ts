import { expect, test } from 'bun:test'
import { VerdictCache } from './verdict-cache.ts'

test('memory is bounded: the oldest go first, and rejected tokens evict no verified one', () => {
  const cache = new VerdictCache()
  for (let i = 0; i < 120_000; i++) cache.accept(`good-${i}`, { userId: `U${i}`, untilMs: 1_000 })
  for (let i = 0; i < 30_000; i++) cache.reject(`bad-${i}`, 'invalid', 0)
  const { verified, rejected } = cache.size
  expect(verified).toBeWithin(50_000, 100_001)
  expect(rejected).toBeWithin(5_000, 10_001)
  expect(cache.find('good-0', 0)).toBeUndefined()
  expect(cache.find('good-119999', 0)).toEqual({ userId: 'U119999', untilMs: 1_000 })
  expect(cache.find('bad-0', 0)).toBeUndefined()
  expect(cache.find('bad-29999', 0)).toBe('invalid')
})
