import { expect, test } from 'bun:test'
import { hasCapacity, runQueue } from './machine-load.ts'

const { signal } = new AbortController()

/** Runs jobs that each end when released; returns the most that ran at once. */
async function mostAtOnce(load: number, atOnce: number): Promise<number> {
  let [underWay, most] = [0, 0]
  const done: number[] = []
  await runQueue([1, 2, 3, 4, 5, 6], {
    ...{ atOnce, signal, machine: { load: () => load, cores: 2 }, lookMs: 1 },
    work: async (piece) => {
      most = Math.max(most, ++underWay)
      await Bun.sleep(1)
      underWay--
      done.push(piece)
    },
  })
  expect(done.toSorted()).toEqual([1, 2, 3, 4, 5, 6])
  return most
}

test('several checks run side by side where the machine has capacity, and all are done', async () => {
  expect(await mostAtOnce(4, 3)).toBe(3)
})

test('on a busy machine checks run one by one, and all are done', async () => {
  expect(hasCapacity({ load: () => 40, cores: 2 })).toBe(false)
  expect(await mostAtOnce(40, 3)).toBe(1)
})

test('a stopped queue starts nothing more', async () => {
  const stop = new AbortController()
  const begun: number[] = []
  await runQueue([1, 2, 3], {
    ...{ atOnce: 1, signal: stop.signal },
    work: async (piece) => {
      begun.push(piece)
      stop.abort()
    },
  })
  expect(begun).toEqual([1])
})
