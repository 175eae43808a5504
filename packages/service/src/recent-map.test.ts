import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { RecentMap } from './recent-map.ts'

test('no more than fit are held, and the latest half of them always, each with what was set last', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 2, max: 20 }).map((half) => half * 2),
      fc.array(fc.nat({ max: 60 }), { maxLength: 300 }),
      (max, keys) => {
        const recent = new RecentMap<number>(max)
        for (const [at, key] of keys.entries()) {
          recent.set(`${key}`, at)
          expect(recent.size).toBeLessThanOrEqual(max)
          const latest = [...new Set(keys.slice(0, at + 1).reverse())].slice(0, max / 2)
          for (const one of latest) expect(recent.get(`${one}`)).toBe(keys.lastIndexOf(one, at))
        }
      },
    ),
    { seed: 4, numRuns: 60 },
  )
})

test('what is deleted is in neither generation', () => {
  const recent = new RecentMap<number>(10)
  recent.set('a', 1)
  recent.turn()
  recent.set('a', 2)
  recent.delete('a')
  expect(recent.get('a')).toBeUndefined()
})
