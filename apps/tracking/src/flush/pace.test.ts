import { expect, setDefaultTimeout, test } from 'bun:test'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { until } from '@palanquin/testing/until'
import fc from 'fast-check'
import { sumOverShards } from './over-shards.ts'
import { Pace, restAfter } from './pace.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)
const SEED = 20260501
const FLUSH_EVERY_MS = 300_000
const ms = () => fc.double({ min: 0, max: 2 * FLUSH_EVERY_MS, noNaN: true })

/** A clock that batches move on, and that writes down the rests. */
function ownClock() {
  const rests: number[] = []
  const clock = {
    atMs: 0,
    nowMs: () => clock.atMs,
    rest: async (restMs: number) => {
      rests.push(restMs)
      clock.atMs += restMs
    },
  }
  const taking = (tookMs: number) => async () => {
    clock.atMs += tookMs
  }
  return { clock, rests, taking }
}

test('a rest is at first as long as the batch took, never longer, and shorter the longer the flush runs', () => {
  expect(restAfter(100, 0)).toBe(100)
  fc.assert(
    fc.property(ms(), ms(), ms(), (tookMs, oneMs, otherMs) => {
      const [earlyMs, lateMs] = [Math.min(oneMs, otherMs), Math.max(oneMs, otherMs)]
      expect(restAfter(tookMs, earlyMs)).toBeWithin(0, tookMs + Number.EPSILON)
      expect(restAfter(tookMs, lateMs)).toBeLessThanOrEqual(restAfter(tookMs, earlyMs))
      expect(restAfter(tookMs, FLUSH_EVERY_MS)).toBe(0)
    }),
    { seed: SEED },
  )
})

test('a gentle flush takes one shard at a time and smaller batches than an urgent one', () => {
  const [gentle, urgent] = [Pace.gentle(), Pace.urgent()]
  expect(gentle.shardsAtOnce).toBe(1)
  expect(gentle.bounds).toEqual({ entries: 1_024, points: 5_000 })
  expect(urgent.shardsAtOnce).toBeGreaterThan(1)
  expect(urgent.bounds.points).toBeGreaterThan(gentle.bounds.points)
})

test('a gentle flush is urgent before the next one is due, however much there is, and rests no more', async () => {
  const { clock, rests, taking } = ownClock()
  const pace = Pace.gentle({ clock })
  while (!pace.isUrgent) await pace.batch(taking(500))
  expect(clock.atMs).toBeWithin(FLUSH_EVERY_MS / 2, FLUSH_EVERY_MS)
  const before = rests.length
  expect(before).toBeGreaterThan(0)
  await pace.batch(taking(500))
  expect(rests.length).toBe(before)
})

test('a rest ends at once when the flush has to hurry', async () => {
  let isResting = false
  const rest = () => {
    isResting = true
    return new Promise<void>(() => {})
  }
  const pace = Pace.gentle({ clock: { nowMs: () => 0, rest } })
  const batch = pace.batch(async () => 'stored')
  await until(() => isResting, { what: 'the rest' })
  pace.hurry()
  expect(await batch).toBe('stored')
})

test('a batch that fails does so at once', async () => {
  const { clock, rests } = ownClock()
  const failing = Pace.gentle({ clock }).batch(() => Promise.reject(new Error('a store is away')))
  await expect(failing).rejects.toThrow('a store is away')
  expect(rests).toEqual([])
})

test('from the moment in which it has to hurry, a flush takes several shards at a time', async () => {
  const pace = Pace.gentle()
  const { promise, resolve } = Promise.withResolvers<number>()
  const begun: number[] = []
  const work = (shard: number) => {
    begun.push(shard)
    return promise
  }
  const all = sumOverShards([0, 1, 2, 3, 4, 5], pace, work)
  await new Promise<void>((turn) => setImmediate(turn))
  expect(begun).toEqual([0])
  pace.hurry()
  await until(() => begun.length === pace.shardsAtOnce, { what: 'as many shards as an urgent flush takes' })
  resolve(7)
  expect(await all).toEqual({ sum: 6 * 7, failures: [] })
})
