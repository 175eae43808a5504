import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { CellStore } from './cell-store.ts'

const bytes = fc.oneof(
  fc.uint8Array({ min: 1, minLength: 1, maxLength: 70 }),
  fc.uint8Array({ min: 1, minLength: 600, maxLength: 700 }),
)

test('a store gives back what was put under each reference, and zeros are all that is left of what was freed', () => {
  const step = fc.oneof(
    fc.record({ kind: fc.constant('put' as const), bytes }),
    fc.record({ kind: fc.constant('free' as const), nth: fc.nat(30) }),
  )
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const store = new CellStore()
      const model = new Map<number, Uint8Array>()
      for (const one of steps) {
        if (one.kind === 'put') {
          const reference = store.put(one.bytes)
          expect(reference).toBeGreaterThan(0)
          expect(model.has(reference)).toBe(false)
          model.set(reference, one.bytes.slice())
        } else {
          const [reference] = [...model.keys()].slice(one.nth)
          if (reference === undefined) continue
          store.free(reference)
          model.delete(reference)
        }
      }
      for (const [reference, stored] of model) {
        const target = new Uint8Array(stored.length + 4)
        expect(store.copyTo(reference, target, 2)).toBe(stored.length)
        expect(target).toEqual(new Uint8Array([0, 0, ...stored, 0, 0]))
        expect(store.read(reference)).toEqual(stored)
        expect(store.holds(reference, stored)).toBe(true)
        expect(store.holds(reference, stored, stored.length - 1)).toBe(false)
        expect(store.holds(reference, stored.with(0, (stored[0] ?? 0) ^ 1))).toBe(false)
      }
      for (const reference of model.keys()) store.free(reference)
      expect(store.reserved().every((left) => left.every((byte) => byte === 0))).toBe(true)
    }),
    { seed: 20261122, numRuns: 100 },
  )
})
