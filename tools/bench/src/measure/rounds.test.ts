import { expect, test } from 'bun:test'
import { alternateRounds, costNote, latencyOf, throughputOf, untilQuiet } from './rounds.ts'

/** A side whose servers take 1 ms of processor time per request, whatever the load takes. */
function side(name: string, order: string[], perSecond: number) {
  let usedMs = 500
  return {
    drive: async () => {
      order.push(name)
      usedMs += 10
      return { sent: 10, perSecond, p50Ms: 1, p99Ms: 2, cpuMs: 40 }
    },
    used: () => ({ [name]: usedMs, idle: 7 }),
  }
}

test('both sides alternate, and each round is charged what its own servers used, without the load', async () => {
  const order: string[] = []
  const sides = { ours: side('gateway', order, 200), yardstick: side('echo', order, 800) }
  const rounds: number[] = []
  const turns = await alternateRounds(2, sides, (round) => rounds.push(round))
  expect(order).toEqual(['echo', 'gateway', 'echo', 'gateway'])
  expect(rounds).toEqual([1, 2])
  expect(throughputOf(turns, { unit: 'points/s', times: 5 })).toEqual({
    unit: 'points/s',
    ours: [1_000, 1_000],
    yardstick: [4_000, 4_000],
    cpuUs: { ours: [200, 200], yardstick: [200, 200] },
  })
  expect(latencyOf(turns, 'p99Ms').ours).toEqual([2, 2])
  expect(costNote(turns)).toBe(
    'processor time of the servers a request: gateway 1000, together 1000 µs; the yardstick 1000 µs; the load, which is not counted, 4000 µs',
  )
})

test('a round begins when nothing is left of the one before, or after a minute', async () => {
  const waited = async ({ leftMs, idleMsPerS }: { leftMs: number; idleMsPerS: number }) => {
    let [atMs, usedMs, left] = [0, 0, leftMs]
    const sleep = async (ms: number) => {
      const worked = Math.min(left, ms)
      left -= worked
      atMs += ms
      usedMs += worked + (idleMsPerS * ms) / 1_000
    }
    await untilQuiet(() => ({ server: usedMs }), sleep)
    return atMs
  }
  expect(await waited({ leftMs: 0, idleMsPerS: 40 })).toBe(500)
  expect(await waited({ leftMs: 900, idleMsPerS: 40 })).toBe(1_500)
  expect(await waited({ leftMs: 0, idleMsPerS: 400 })).toBe(60_000)
})
