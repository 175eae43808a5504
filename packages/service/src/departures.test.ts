import { beforeEach, expect, test } from 'bun:test'
import { Departures } from './departures.ts'

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
