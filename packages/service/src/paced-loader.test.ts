import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { PacedLoader } from './paced-loader.ts'

test('each load gets its own value, whenever it came; calls are as large as may be, in their order', async () => {
  const tick = () => new Promise<void>((resolve) => setImmediate(resolve))
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(fc.integer(), { maxLength: 30 }), { minLength: 1, maxLength: 8 }),
      fc.integer({ min: 1, max: 20 }),
      async (ticks, sizeMax) => {
        const calls: number[][] = []
        const loadAll = async (keys: readonly number[]) => {
          calls.push([...keys])
          return keys.map((key) => key * 2)
        }
        const loader = new PacedLoader({ loadAll, sizeMax, everyMs: 2 })
        const loads: Promise<number>[] = []
        for (const keys of ticks) {
          loads.push(...keys.map((key) => loader.load(key)))
          await tick()
        }
        const keys = ticks.flat()
        expect(await Promise.all(loads)).toEqual(keys.map((key) => key * 2))
        expect(calls.flat()).toEqual(keys)
        for (const call of calls) expect(call.length).toBeLessThanOrEqual(sizeMax)
      },
    ),
    { seed: 1, numRuns: 50 },
  )
})

test('a call that hangs delays no later one', async () => {
  const hanging = Promise.withResolvers<string[]>()
  const loader = new PacedLoader<string, string>({
    loadAll: (keys) => (keys.includes('hangs') ? hanging.promise : Promise.resolve([...keys])),
    sizeMax: 10,
    everyMs: 1,
  })
  const first = loader.load('hangs')
  await new Promise<void>((resolve) => setImmediate(resolve))
  expect(await Promise.all([loader.load('a'), loader.load('b')])).toEqual(['a', 'b'])
  hanging.resolve(['late'])
  expect(await first).toBe('late')
})

test('a failed call fails its own loads alone, and too few values fail them too', async () => {
  const loadAll = async (keys: readonly number[]) => {
    if (keys.includes(0)) throw new Error('no zero')
    return keys.includes(9) ? [] : keys
  }
  const loader = new PacedLoader({ loadAll, sizeMax: 2, everyMs: 1 })
  const outcomes = await Promise.allSettled([1, 0, 2, 3, 9, 8].map((key) => loader.load(key)))
  const { r, f } = { r: 'rejected', f: 'fulfilled' } as const
  expect(outcomes.map(({ status }) => status)).toEqual([r, r, f, f, r, r])
})

test('a caller with two keys counts as one, who does not wait when they come again', async () => {
  const loadAll = async (keys: readonly string[]) => keys
  const loader = new PacedLoader({ loadAll, sizeMax: 10, everyMs: 600_000 })
  for (let call = 0; call < 3; call++) {
    const both = Promise.all([loader.load('a'), loader.load('b', { isBeside: true })])
    expect(await both).toEqual(['a', 'b'])
    await new Promise<void>((resolve) => setImmediate(resolve))
  }
})
