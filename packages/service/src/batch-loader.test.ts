import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { BatchLoader } from './batch-loader.ts'

/** Doubles its keys, and remembers which came in one call. */
function doubler(sizeMax: number) {
  const calls: number[][] = []
  const loadAll = async (keys: readonly number[]) => {
    calls.push([...keys])
    return keys.map((key) => key * 2)
  }
  return { loader: new BatchLoader({ loadAll, sizeMax }), calls }
}

test('each load gets its own value; those of a tick share calls, as large as may be, in their order', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.integer(), { minLength: 1, maxLength: 60 }),
      fc.integer({ min: 1, max: 20 }),
      async (keys, sizeMax) => {
        const { loader, calls } = doubler(sizeMax)
        const values = await Promise.all(keys.map((key) => loader.load(key)))
        expect(values).toEqual(keys.map((key) => key * 2))
        expect(calls.flat()).toEqual(keys)
        expect(calls.length).toBe(Math.ceil(keys.length / sizeMax))
      },
    ),
    { seed: 1, numRuns: 50 },
  )
})

test('loads of a later tick have their own call, also while the first is under way', async () => {
  const { loader, calls } = doubler(10)
  const first = [loader.load(1), loader.load(2)]
  await new Promise((tick) => setTimeout(tick, 5))
  expect(await Promise.all([...first, loader.load(3)])).toEqual([2, 4, 6])
  expect(calls).toEqual([[1, 2], [3]])
})

test('a failed call fails its own loads alone', async () => {
  const loadAll = async (keys: readonly number[]) => {
    if (keys.includes(0)) throw new Error('no zero')
    return keys
  }
  const loader = new BatchLoader({ loadAll, sizeMax: 2 })
  const outcomes = await Promise.allSettled([1, 0, 2, 3].map((key) => loader.load(key)))
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled', 'fulfilled'])
})

test('too few values fail every load, and none gets the value of another key', async () => {
  const loader = new BatchLoader({ loadAll: async () => ['only one'], sizeMax: 5 })
  const outcomes = await Promise.allSettled([loader.load('a'), loader.load('b')])
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
})
