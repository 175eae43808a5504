import { expect, test } from 'bun:test'
import { hasCapacity, runQueue } from './machine-load.ts'

const { signal } = new AbortController()
const GIB = 2 ** 30

type Given = {
  load?: number
  idleShare?: number
  availableBytes?: number
  atOnce: number
  isElastic?: boolean
}

/** Runs jobs of some looks each; returns the most that ran at once. */
async function mostAtOnce({
  load = 4,
  idleShare = 0,
  availableBytes = 8 * GIB,
  ...amount
}: Given): Promise<number> {
  let [underWay, most, looks] = [0, 0, 0]
  const done: number[] = []
  const pieces = Array.from({ length: 12 }, (_, piece) => piece)
  await runQueue(pieces, {
    ...amount,
    signal,
    lookMs: 1,
    idleLookMs: 1,
    machine: {
      load: () => load,
      cores: 2,
      availableBytes: () => availableBytes,
      processorTime: () => ({ idleMs: ++looks * idleShare, allMs: looks }),
    },
    work: async (piece) => {
      most = Math.max(most, ++underWay)
      await Bun.sleep(20)
      underWay--
      done.push(piece)
    },
  })
  expect(done.toSorted((a, b) => a - b)).toEqual(pieces)
  return most
}

test('several checks run side by side where the machine has capacity, and all are done', async () => {
  expect(await mostAtOnce({ atOnce: 3 })).toBe(3)
})

test('on a busy machine checks run one by one, and all are done', async () => {
  expect(hasCapacity({ load: () => 40, cores: 2 })).toBe(false)
  expect(await mostAtOnce({ load: 40, atOnce: 3 })).toBe(1)
})

test('while processors are idle more checks run than usual, up to a limit, and all are done', async () => {
  const most = await mostAtOnce({ idleShare: 0.5, atOnce: 2, isElastic: true })
  expect(most).toBeGreaterThan(2)
  expect(most).toBeLessThanOrEqual(6)
})

test.each([
  ['processors are busy', { idleShare: 0.2 }],
  ['memory is short', { idleShare: 0.9, availableBytes: 2 * GIB }],
  ['they were not asked for', { idleShare: 0.9, isElastic: false }],
])('no more checks than usual run where %s', async (_, given) => {
  expect(await mostAtOnce({ atOnce: 2, isElastic: true, ...given })).toBe(2)
})

test('a stopped queue starts nothing more', async () => {
  const stop = new AbortController()
  const begun: number[] = []
  await runQueue([1, 2, 3], {
    atOnce: 1,
    signal: stop.signal,
    work: async (piece) => {
      begun.push(piece)
      stop.abort()
    },
  })
  expect(begun).toEqual([1])
})
