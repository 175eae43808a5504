import { afterAll, beforeAll, expect, spyOn, test } from 'bun:test'
import { createLog } from '@palanquin/service/log'
import { connectRedis, type Redis } from '@palanquin/service/redis'
import { testRedis } from '@palanquin/testing/redis'
import type { TestServer } from '@palanquin/testing/server'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { until } from '@palanquin/testing/until'
import fc from 'fast-check'
import { TOGETHER } from '../gateways/counting.ts'
import { Limiter } from '../limiter.ts'
import { LocalWindows } from '../memory/local-windows.ts'
import type { Rule } from '../rules.ts'
import { RedisWindows } from './redis-windows.ts'

const log = createLog({ service: 'test', level: 'silent' })
let server: TestServer
/** Two gateway processes, to Redis. */
let clients: [Redis, Redis]

beforeAll(async () => {
  server = await testRedis()
  clients = [
    connectRedis({ url: server.url, name: 'a', log }),
    connectRedis({ url: server.url, name: 'b', log }),
  ]
  await until(() => clients.every((client) => client.isReady), { what: 'both clients are connected' })
})
afterAll(async () => {
  for (const client of clients) client.destroy()
  await server.close()
})

/** Where Redis answers, however late; without a deadline given that of the service. */
const PATIENT = { deadlineMs: TEST_TIMEOUT_MS }
const windowsOf = (options: { deadlineMs?: number } = {}) =>
  clients.map((redis) => new RedisWindows({ redis, log, ...options }))
/** As two gateways are: the first lets three of five through while it counts alone, the second two. */
const limiters = (options: { deadlineMs?: number } = {}) =>
  windowsOf(options).map((shared, place) => {
    const share = (limit: number) => Math.floor((limit + 1 - place) / 2)
    return new Limiter({ local: new LocalWindows(), shared, counting: { ...TOGETHER, share } })
  })
const rule = (limit: number, windowMs = 60_000): Rule => ({ scope: 'user', limit, windowMs })
const subject = (id: string, of = rule(5)) => ({ name: 'test', rule: of, id })
/** Entries of a window, be it a text or a list. */
const entriesOf = async (key: string): Promise<number> =>
  (await clients[0].type(key)) === 'list'
    ? clients[0].lLen(key)
    : ((await clients[0].get(key)) ?? '').split(' ').filter((entry) => entry !== '').length
const admitted = (verdicts: readonly { allowed: boolean }[]) =>
  verdicts.filter(({ allowed }) => allowed).length

test('exactly the limit is admitted, however many processes count at once', async () => {
  const [a, b] = limiters(PATIENT)
  const calls = Array.from({ length: 40 }, (_, i) => (i % 2 === 0 ? a : b)?.take(subject('crowd')))
  const verdicts = (await Promise.all(calls)).filter((verdict) => verdict !== undefined)
  expect(admitted(verdicts)).toBe(5)
  expect(
    verdicts
      .filter(({ allowed }) => allowed)
      .map(({ remaining }) => remaining)
      .sort(),
  ).toEqual([0, 1, 2, 3, 4])
  for (const { allowed, resetS } of verdicts) if (!allowed) expect(resetS).toBeWithin(50, 61)
})

test.each([4, 40])(
  'in any window of Redis’ own time at most %i are admitted, and each place is used again',
  async (limit) => {
    const [a, b] = windowsOf(PATIENT)
    const stamps: number[] = []
    const endMs = performance.now() + 1_200
    const hammer = async (windows: RedisWindows | undefined) => {
      while (performance.now() < endMs || stamps.length <= limit) {
        const calls = Array.from({ length: limit / 2 }, () =>
          windows?.count(`rl:{window of ${limit}}`, { limit, windowMs: 200, take: true }),
        )
        for (const count of await Promise.all(calls)) if (count?.allowed) stamps.push(Number(count.stamp))
      }
    }
    await Promise.all([hammer(a), hammer(b), hammer(a)])
    stamps.sort((x, y) => x - y)
    for (const [index, stamp] of stamps.entries()) {
      const later = stamps[index + limit]
      if (later !== undefined) expect(later - stamp).toBeGreaterThanOrEqual(200_000)
    }
    expect(stamps.length).toBeGreaterThan(limit)
  },
)

test('calls on one key in one batch are counted one after another, looks among them', async () => {
  const [windows] = windowsOf(PATIENT)
  const takes = [true, false, true, true, false, true, true]
  const counts = await Promise.all(
    takes.map((take) => windows?.count('rl:{moment}', { limit: 3, windowMs: 60_000, take })),
  )
  expect(counts.map((count) => [count?.allowed, count?.used])).toEqual([
    [true, 1],
    [true, 1],
    [true, 2],
    [true, 3],
    [false, 3],
    [false, 3],
    [false, 3],
  ])
  for (const count of counts) expect(count?.freeInMs).toBeWithin(50_000, 60_001)
  expect(await entriesOf('rl:{moment}')).toBe(3)
  expect(await clients[0].pTTL('rl:{moment}')).toBeWithin(50_000, 60_001)
})

test('whatever comes in one moment is counted as one call after another', async () => {
  const [windows] = windowsOf(PATIENT)
  const call = fc.record({ key: fc.constantFrom('a', 'b', 'c'), take: fc.boolean() })
  const limits = fc.record({
    a: fc.integer({ min: 1, max: 6 }),
    b: fc.constantFrom(2, 32, 33),
    c: fc.constant(1_000),
  })
  let run = 0
  await fc.assert(
    fc.asyncProperty(
      limits,
      fc.array(fc.array(call, { maxLength: 40 }), { maxLength: 3 }),
      async (limit, moments) => {
        run++
        const used = { a: 0, b: 0, c: 0 }
        for (const calls of moments) {
          const expected = calls.map(({ key, take }) => {
            const allowed = used[key] < limit[key]
            if (allowed && take) used[key]++
            return { allowed, used: used[key] }
          })
          const counts = await Promise.all(
            calls.map(({ key, take }) =>
              windows?.count(`rl:{${key}${run}}`, { limit: limit[key], windowMs: 60_000, take }),
            ),
          )
          expect(counts.map((count) => ({ allowed: count?.allowed, used: count?.used }))).toEqual(expected)
          for (const count of counts) expect(count?.freeInMs).toBeWithin(1, 60_001)
        }
        for (const key of ['a', 'b', 'c'] as const)
          expect(await entriesOf(`rl:{${key}${run}}`)).toBe(used[key])
      },
    ),
    { seed: 12, numRuns: 60 },
  )
})

test.each([1, 3, 40])(
  'refused calls do not count, and a place of %i that is given back is free in both processes',
  async (limit) => {
    const [a, b] = limiters(PATIENT)
    const giver = subject(`giver of ${limit}`, rule(limit))
    const [first] = await Promise.all(Array.from({ length: limit }, () => a?.take(giver)))
    for (let i = 0; i < 20; i++) expect((await b?.take(giver))?.allowed).toBe(false)
    await first?.giveBack()
    expect((await b?.take(giver))?.allowed).toBe(true)
    expect((await a?.take(giver))?.allowed).toBe(false)
  },
)

test('an empty window that was given back leaves no key', async () => {
  const [a] = limiters(PATIENT)
  const kept = await clients[0].dbSize()
  for (const limit of [1, 40]) {
    const verdict = await a?.take(subject('leaver', rule(limit)))
    await verdict?.giveBack()
  }
  expect(await clients[0].dbSize()).toBeLessThanOrEqual(kept)
})

test('a look counts nothing', async () => {
  const [a] = limiters(PATIENT)
  for (let i = 0; i < 20; i++) expect((await a?.look(subject('looker')))?.remaining).toBe(5)
})

test('keys carry a hash tag, hide the id and expire with their last entry', async () => {
  const [a] = limiters(PATIENT)
  await a?.take(subject('U4af4980629c1f0b8d3e5a7c6b9d0e1f2', rule(5, 300)))
  const keys = await clients[0].keys('rl:*')
  for (const key of keys) expect(key).toMatch(/^rl:\{[^{}]+\}$/)
  expect(keys.join()).not.toContain('U4af4980629c1f0b8d3e5a7c6b9d0e1f2')
  for (const key of keys) expect(await clients[0].pTTL(key)).toBeLessThanOrEqual(60_000)
  await until(async () => (await clients[0].keys('rl:{few:test:*')).length < keys.length, {
    what: 'the key expires',
  })
})

test('a Redis that lost its scripts is given them again', async () => {
  const [a] = limiters(PATIENT)
  await clients[0].scriptFlush()
  expect((await a?.take(subject('after a flush')))?.remaining).toBe(4)
})

test('while Redis stalls the process counts by itself, and only the first calls wait for Redis', async () => {
  const [shared] = windowsOf()
  if (!shared) throw new Error('there are two')
  const a = new Limiter({ local: new LocalWindows(), shared })
  for (let i = 0; i < 3; i++) await a.take(subject('staller'))
  // A busy machine may have been late for one of them.
  await until(() => !shared.away, { what: 'Redis counts' })
  server.suspend()
  const send = spyOn(clients[0], 'send')
  try {
    const verdicts = []
    for (let i = 0; i < 40; i++) verdicts.push(await a.take(subject('staller')))
    expect(admitted(verdicts)).toBe(2)
    for (let i = 0; i < 400; i++) expect((await a.take(subject(`other-${i}`))).allowed).toBe(true)
    // A request to Redis waits for its deadline; the background probe serves no request.
    const waited = send.mock.calls.filter(([key]) => key !== 'rl:{probe}')
    expect(waited).toHaveLength(1)
  } finally {
    send.mockRestore()
    server.resume()
  }
})

test('what a process admitted while Redis was away still counts when Redis is back', async () => {
  const shared = new RedisWindows({ redis: clients[0], log })
  const limiter = new Limiter({ local: new LocalWindows(), shared })
  await limiter.take(subject('survivor'))
  await server.kill9()
  for (let i = 0; i < 3; i++) expect((await limiter.take(subject('survivor'))).allowed).toBe(true)
  await server.restart()
  await clients[0].flushAll().catch(() => {})
  await until(() => !shared.away, { what: 'Redis counts again' })
  expect((await limiter.take(subject('survivor'))).allowed).toBe(true)
  expect((await limiter.take(subject('survivor'))).allowed).toBe(false)
  shared.stop()
})
