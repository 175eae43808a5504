import { beforeEach, expect, test } from 'bun:test'
import fc from 'fast-check'
import { BatchLoader, Departures } from './batching.ts'

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

test('loads that gather for a while get their own values, in calls as large as may be, in their order', async () => {
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
        const loader = new BatchLoader({ loadAll, sizeMax, everyMs: 2 })
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
  const loader = new BatchLoader<string, string>({
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

test('a caller with two keys counts as one, who does not wait when they come again', async () => {
  const loadAll = async (keys: readonly string[]) => keys
  const loader = new BatchLoader({ loadAll, sizeMax: 10, everyMs: 600_000 })
  for (let call = 0; call < 3; call++) {
    const both = Promise.all([loader.load('a'), loader.load('b', { isBeside: true })])
    expect(await both).toEqual(['a', 'b'])
    await new Promise<void>((resolve) => setImmediate(resolve))
  }
})

const LONG_MS = 60_000
let waiting = 0
let groups: number[] = []
/** Answers the calls of a group, by the order in which they left. */
let answers: (() => void)[] = []
beforeEach(() => {
  waiting = 0
  groups = []
  answers = []
})

function departures(everyMs: number, enough?: number, quietMs?: number) {
  const departing = new Departures({
    everyMs,
    ...(enough === undefined ? {} : { enough }),
    ...(quietMs === undefined ? {} : { quietMs }),
    leave: () => {
      groups.push(waiting)
      waiting = 0
      return new Promise<void>((resolve) => answers.push(resolve))
    },
  })
  return (count: number) => {
    for (let one = 0; one < count; one++) departing.joined(++waiting)
  }
}
const tick = () => new Promise<void>((resolve) => setImmediate(resolve))
const untilLeft = async (count: number) => {
  while (groups.length < count) await tick()
}
const untilGone = async (calls: number) => {
  while (groups.reduce((sum, size) => sum + size, 0) < calls) await tick()
}

test('the first of an idle period leave at the end of their tick', async () => {
  const join = departures(LONG_MS)
  join(3)
  expect(groups).toEqual([])
  await untilLeft(1)
  expect(groups).toEqual([3])
})

test('those after them gather, and leave at once when there are enough of them', async () => {
  const join = departures(LONG_MS)
  join(2)
  await untilLeft(1)
  for (let ticks = 0; ticks < 15; ticks++) {
    join(1)
    await tick()
  }
  expect(groups).toEqual([2])
  join(4)
  await untilLeft(2)
  expect(groups).toEqual([2, 19])
})

test('a client that asks for one thing after the other never waits, however fast it is', async () => {
  const join = departures(LONG_MS)
  for (let one = 1; one <= 5; one++) {
    join(1)
    await untilLeft(one)
    answers[one - 1]?.()
    await tick()
  }
  expect(groups).toEqual([1, 1, 1, 1, 1])
})

test('who comes while a single one is under way waits for company', async () => {
  const join = departures(LONG_MS)
  join(1)
  await untilLeft(1)
  await Bun.sleep(5)
  join(1)
  for (let ticks = 0; ticks < 20; ticks++) await tick()
  expect(groups).toEqual([1])
  answers[0]?.()
  join(1)
  for (let ticks = 0; ticks < 20; ticks++) await tick()
  expect(groups).toEqual([1])
})

test('after several at once the next one waits, though all are answered', async () => {
  const join = departures(LONG_MS)
  join(2)
  await untilLeft(1)
  answers[0]?.()
  await Bun.sleep(5)
  join(1)
  for (let ticks = 0; ticks < 20; ticks++) await tick()
  expect(groups).toEqual([2])
})

test('how many are enough may be said', async () => {
  const join = departures(LONG_MS, 100)
  join(2)
  await untilLeft(1)
  join(99)
  for (let i = 0; i < 20; i++) await tick()
  expect(groups).toEqual([2])
  join(1)
  await untilLeft(2)
  expect(groups).toEqual([2, 100])
})

test('where nobody joins them for a while they leave, though the time is not over', async () => {
  const join = departures(LONG_MS, 100, 20)
  join(2)
  await untilLeft(1)
  join(3)
  await untilLeft(2)
  expect(groups).toEqual([2, 3])
})

test('as long as others join they wait', async () => {
  const QUIET_MS = 1_000
  let tookMs = 0
  do {
    groups = []
    const join = departures(LONG_MS, 100, QUIET_MS)
    join(2)
    await untilLeft(1)
    const beganMs = performance.now()
    for (let one = 0; one < 6; one++) {
      join(1)
      await Bun.sleep(QUIET_MS / 4)
    }
    tookMs = performance.now() - beganMs
    // A machine that stalls between two of them may let the group leave in two.
  } while (tookMs > 2 * QUIET_MS)
  expect(groups).toEqual([2])
  await untilLeft(2)
  expect(groups).toEqual([2, 6])
})

test('a few leave when the time is over, and each group leaves once', async () => {
  let join = departures(1_000)
  let [leftAtMs, tookMs] = [0, 0]
  do {
    groups = []
    join = departures(1_000)
    const beganMs = performance.now()
    join(2)
    await untilLeft(1)
    leftAtMs = performance.now()
    join(2)
    await tick()
    join(1)
    tookMs = performance.now() - beganMs
    await untilGone(5)
    // A machine that stalls in between may let the group leave in two.
  } while (tookMs > 500)
  expect(groups).toEqual([2, 3])
  expect(performance.now() - leftAtMs).toBeGreaterThanOrEqual(500)
  join(1)
  await untilLeft(3)
  expect(groups).toEqual([2, 3, 1])
  await Bun.sleep(1_200)
  expect(groups).toEqual([2, 3, 1])
})
