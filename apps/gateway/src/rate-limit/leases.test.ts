import { expect, describe as group, test } from 'bun:test'
import { until } from '@palanquin/testing/until'
import fc from 'fast-check'
import { Leases } from './leases.ts'
import { Limiter } from './limiter.ts'
import { KeyHasher } from './memory/key-hash.ts'
import { LocalWindows } from './memory/local-windows.ts'
import type { Rule } from './rules.ts'

const LIMIT = 60_000
const PLACES_PER_LOT = 60
const WINDOW_MS = 60_000
const SECOND_MS = 1_000
const ruleOf = (limit: number): Rule => ({ scope: 'address', limit, windowMs: WINDOW_MS, silent: true })

/** Gateways over one Redis, which is as exact as a window in memory, and a clock of their own. */
function gatewaysOf(count: number, limit = LIMIT) {
  const clock = { nowMs: 0, asked: 0 }
  const nowMs = () => clock.nowMs
  const redis = new LocalWindows()
  const hasher = new KeyHasher('')
  const places: (() => void)[] = []
  const shared = {
    away: false,
    count: async (key: string, options: { limit: number; windowMs: number; take: boolean }) => {
      clock.asked++
      const { table, entry, ...count } = redis.count(hasher.hash('', key), { ...options, nowMs: nowMs() })
      places.push(() => table.giveBack(entry))
      return { ...count, stamp: String(places.length - 1) }
    },
    giveBack: async (_key: string, { stamp }: { stamp: string }) => places[Number(stamp)]?.(),
  }
  const limiters = Array.from(
    { length: count },
    () => new Limiter({ local: new LocalWindows(), shared, nowMs }),
  )
  const gateways = limiters.map(
    (limiter) => new Leases({ limiter, name: 'pages', rule: ruleOf(limit), nowMs }),
  )
  /** How many of so many calls at once are admitted. */
  const admitted = async (gateway: number, calls: number, id = 'address'): Promise<number> => {
    const verdicts = await Promise.all(Array.from({ length: calls }, () => gateways[gateway]?.take(id)))
    return verdicts.filter((verdict) => verdict?.allowed).length
  }
  return { clock, gateways, limiters, admitted }
}

group('a large limit', () => {
  test('is never exceeded in any window, by any number of gateways', async () => {
    const bursts = fc.array(fc.tuple(fc.nat({ max: 9_000 }), fc.nat({ max: 2 }), fc.nat({ max: 11_000 })), {
      minLength: 20,
      maxLength: 40,
    })
    await fc.assert(
      fc.asyncProperty(bursts, async (calls) => {
        const { clock, admitted } = gatewaysOf(3)
        const done: { atMs: number; count: number }[] = []
        for (const [pauseMs, gateway, count] of calls) {
          clock.nowMs += pauseMs
          done.push({ atMs: clock.nowMs, count: await admitted(gateway, count) })
          const inWindow = done.filter(({ atMs }) => atMs > clock.nowMs - WINDOW_MS)
          expect(inWindow.reduce((sum, { count: each }) => sum + each, 0)).toBeLessThanOrEqual(LIMIT)
        }
      }),
      { seed: 20261122, numRuns: 30 },
    )
  })

  test('is admitted to the last call, and what is refused is counted as refused', async () => {
    const { admitted, limiters } = gatewaysOf(1)
    expect(await admitted(0, LIMIT + 100)).toBe(LIMIT)
    expect(limiters[0]?.refused).toEqual({ pages: 100 })
    expect(await admitted(0, 1, 'another address')).toBe(1)
  })

  test('asks the shared windows for few of many calls', async () => {
    const { admitted, clock } = gatewaysOf(1)
    expect(await admitted(0, 20_000)).toBe(20_000)
    expect(clock.asked).toBeLessThan(20_000 / 20)
  })

  test('gets back what a burst took ahead and did not use, but for a lot in use', async () => {
    const { admitted, clock, gateways } = gatewaysOf(2)
    for (let i = 0; i < 10; i++) {
      for (let call = 0; call < 500; call++) if (!gateways[0]?.takeNow('address')) await admitted(0, 1)
      clock.nowMs += 3 * SECOND_MS
    }
    await until(() => gateways[0]?.size === 0, { what: 'the last places have expired' })
    const rest = await admitted(1, LIMIT)
    expect(rest).toBeLessThanOrEqual(LIMIT - 5_000)
    expect(rest).toBeGreaterThanOrEqual(LIMIT - 5_000 - 10 * 2 * PLACES_PER_LOT)
  })

  test('has places again once its window is over', async () => {
    const { admitted, clock } = gatewaysOf(1)
    expect(await admitted(0, LIMIT)).toBe(LIMIT)
    clock.nowMs += WINDOW_MS
    expect(await admitted(0, 1)).toBe(0)
    clock.nowMs += SECOND_MS
    expect(await admitted(0, LIMIT)).toBe(LIMIT)
  })
})

test('a place is at hand only after a call has asked, and only for a second', async () => {
  const { admitted, clock, gateways } = gatewaysOf(1)
  expect(gateways[0]?.takeNow('address')).toBe(false)
  expect(await admitted(0, 1)).toBe(1)
  expect(gateways[0]?.takeNow('address')).toBe(true)
  expect(gateways[0]?.takeNow('another')).toBe(false)
  clock.nowMs += SECOND_MS
  expect(gateways[0]?.takeNow('address')).toBe(false)
})

test('calls of a small limit are each counted by themselves', async () => {
  const { admitted, gateways } = gatewaysOf(2, 1_000)
  for (let i = 0; i < 10; i++) {
    expect(await admitted(i % 2, 100)).toBe(100)
    expect(gateways[i % 2]?.takeNow('address')).toBe(false)
  }
  expect(await admitted(0, 1)).toBe(0)
})

test.each([2_000, 2_999, 30_000, 100_000])(
  'a limit of %p is admitted to within a thousandth',
  async (limit) => {
    const { admitted } = gatewaysOf(1, limit)
    expect(await admitted(0, limit + 100)).toBeWithin(limit * 0.999 - 1, limit + 1)
  },
)
