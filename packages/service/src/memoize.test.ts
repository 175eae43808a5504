import { expect, test } from 'bun:test'
import { memoize, singleFlight } from './memoize.ts'

test('a value is read once for all who ask at the same time, and again after its time to live', async () => {
  let reads = 0
  let nowMs = 0
  const read = memoize(async () => ++reads, { ttlMs: 100, now: () => nowMs })
  expect(await Promise.all([read(), read(), read()])).toEqual([1, 1, 1])
  nowMs = 99
  expect(await read()).toBe(1)
  nowMs = 100
  expect(await Promise.all([read(), read()])).toEqual([2, 2])
})

test('each key has its own value, and the time to live may depend on it', async () => {
  let nowMs = 0
  const reads: string[] = []
  const read = memoize(
    async (key: string) => {
      reads.push(key)
      return key
    },
    { ttlMs: (value) => (value === 'long' ? 100 : 0), now: () => nowMs },
  )
  expect(await Promise.all([read('long'), read('short'), read('short')])).toEqual(['long', 'short', 'short'])
  nowMs = 50
  await Promise.all([read('long'), read('short')])
  expect(reads).toEqual(['long', 'short', 'short'])
})

test('a failure is given to those who wait for it, and the next one reads again', async () => {
  let reads = 0
  const read = memoize(
    async () => {
      if (++reads === 1) throw new Error('away')
      return reads
    },
    { ttlMs: 100 },
  )
  const outcomes = await Promise.allSettled([read(), read()])
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(await read()).toBe(2)
})

test('no more keys are kept than may be', async () => {
  let reads = 0
  const read = memoize(async (_key: number) => ++reads, { ttlMs: 1_000, keysMax: 10, now: () => 0 })
  for (let key = 0; key < 1_000; key++) await read(key)
  await read(0)
  expect(reads).toBe(1_001)
  await read(999)
  expect(reads).toBe(1_001)
})

test('work of one key is done once at a time, and again after it has ended', async () => {
  const share = singleFlight<number>()
  let runs = 0
  const work = async () => ++runs
  expect(await Promise.all([share('a', work), share('a', work), share('b', work)])).toEqual([1, 1, 2])
  expect(await share('a', work)).toBe(3)
})
