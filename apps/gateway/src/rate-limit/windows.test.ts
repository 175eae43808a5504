import { afterAll, beforeAll, expect, spyOn, test } from 'bun:test'
import { createLog } from '@palanquin/service/log'
import { connectRedis, type Redis } from '@palanquin/service/redis'
import { testRedis } from '@palanquin/testing/redis'
import type { TestServer } from '@palanquin/testing/server'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { until } from '@palanquin/testing/until'
import fc from 'fast-check'
import type { CountRequest, CountResult } from './counts.ts'
import { type Charge, Limiter } from './limiter.ts'
import { MemoryWindows } from './memory-windows.ts'
import type { Rule } from './rules.ts'
import { Windows } from './windows.ts'

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

/** Where Redis answers, however late. */
const PATIENT = { deadlineMs: TEST_TIMEOUT_MS }
const DAY_MS = 86_400_000
const windowsOf = () => clients.map((redis) => new Windows({ redis, log, ...PATIENT })) as [Windows, Windows]
const limiters = () => windowsOf().map(({ count }) => new Limiter({ count })) as [Limiter, Limiter]
const rule = (limit: number, windowMs = 60_000): Rule => ({ scope: 'user', limit, windowMs })
const charge = (id: string, of = rule(5), amount = 1): Charge => ({ name: 'test', rule: of, id, amount })
const remaining = async (limiter: Limiter, one: Charge) => (await limiter.take([one])).verdicts[0]?.remaining
const isAllowed = async (limiter: Limiter, one: Charge) => !(await limiter.take([one])).refused

test('exactly the limit is admitted, however many processes count at once', async () => {
  const [a, b] = limiters()
  const taken = await Promise.all(
    Array.from({ length: 40 }, (_, at) => (at % 2 === 0 ? a : b).take([charge('crowd')])),
  )
  const admitted = taken.filter(({ refused }) => !refused)
  expect(admitted.map(({ verdicts }) => verdicts[0]?.remaining).sort()).toEqual([0, 1, 2, 3, 4])
  for (const { refused } of taken) if (refused) expect(refused.verdict.resetS).toBeWithin(50, 61)
})

test.each([4, 40])(
  'in any window of Redis’ own time at most %i are admitted, and each place is used again',
  async (limit) => {
    const [a, b] = windowsOf()
    const stamps: number[] = []
    const endMs = performance.now() + 1_200
    const claims = [{ key: `rl:{limits}:window-of-${limit}`, amount: 1, limit, windowMs: 200 }]
    const hammer = async (windows: Windows) => {
      while (performance.now() < endMs || stamps.length <= limit) {
        const calls = Array.from({ length: limit / 2 }, () => windows.count({ claims }))
        for (const { refused, atMs } of await Promise.all(calls)) if (refused < 0) stamps.push(atMs)
      }
    }
    await Promise.all([hammer(a), hammer(b), hammer(a)])
    stamps.sort((x, y) => x - y)
    for (const [index, stamp] of stamps.entries()) {
      const later = stamps[index + limit]
      if (later !== undefined) expect(later - stamp).toBeGreaterThan(200)
    }
    expect(stamps.length).toBeGreaterThan(limit)
  },
)

const LIMITS = [1, 5, 32, 33, 1_000]
const claim = fc.record({
  key: fc.nat(LIMITS.length - 1),
  amount: fc.oneof(fc.constant(1), fc.nat(400)),
})
const request = fc.record({
  claims: fc.uniqueArray(claim, { maxLength: 3, minLength: 1, selector: ({ key }) => key }),
  isGivenBack: fc.boolean(),
})

test('whatever comes in one moment counts as one after another does, in Redis as in memory', async () => {
  const [windows] = windowsOf()
  let run = 0
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(request, { maxLength: 20 }), { maxLength: 4 }), async (moments) => {
      run++
      const memory = new MemoryWindows()
      const inMemory = async (one: CountRequest) => memory.count(one, 1_000)
      const said = ({ refused, counts }: CountResult) => [refused, ...counts.map(({ used }) => used)]
      for (const moment of moments) {
        const asked = moment.map(({ claims }) => ({
          claims: claims.map(({ key, amount }) => {
            const limit = LIMITS[key] ?? 0
            return { key: `rl:{limits}:${run}-${key}`, amount, limit, windowMs: DAY_MS }
          }),
        }))
        const shared = await Promise.all(asked.map((one) => windows.count(one)))
        const own = await Promise.all(asked.map(inMemory))
        expect(shared.map(said)).toEqual(own.map(said))
        for (const { counts } of shared)
          for (const { freeInMs } of counts) expect(freeInMs).toBeWithin(1, DAY_MS + 1)
        const isGivenBack = (_: unknown, at: number) =>
          moment[at]?.isGivenBack && (shared[at]?.refused ?? 0) < 0
        const givenBack = (counted: CountResult[]) =>
          asked.map(({ claims }, at) => ({ claims, takenAtMs: counted[at]?.atMs ?? 0 })).filter(isGivenBack)
        await Promise.all(givenBack(shared).map((one) => windows.count(one)))
        await Promise.all(givenBack(own).map(inMemory))
      }
    }),
    { seed: 12, numRuns: 60 },
  )
  for (const key of await clients[0].keys('rl:*'))
    expect(await clients[0].pTTL(key)).toBeWithin(1, DAY_MS + 2)
})

test('a call that one of its rules refuses takes no place in the others', async () => {
  const [a, b] = limiters()
  const [few, many] = [charge('few', rule(1)), charge('many', rule(100))]
  expect((await a.take([many, few])).refused).toBeUndefined()
  const { refused } = await b.take([many, few])
  expect(refused).toMatchObject({ id: 'few', verdict: { limit: 1, remaining: 0 } })
  expect(await remaining(a, many)).toBe(98)
})

test.each([1, 3, 40])(
  'refused calls do not count, and one of %i places that is given back is free for all',
  async (limit) => {
    const [a, b] = limiters()
    const giver = charge(`giver of ${limit}`, rule(limit))
    const [first] = await Promise.all(Array.from({ length: limit }, () => a.take([giver])))
    for (let at = 0; at < 20; at++) expect(await isAllowed(b, giver)).toBe(false)
    if (first) a.giveBack(first)
    await until(() => isAllowed(b, giver), { what: 'the place is free' })
    expect(await isAllowed(a, giver)).toBe(false)
  },
)

test('an empty window that was given back leaves no key, and a look counts nothing', async () => {
  const [a] = limiters()
  const kept = await clients[0].dbSize()
  a.giveBack(await a.take([charge('leaver')]))
  await until(async () => (await clients[0].dbSize()) <= kept, { what: 'the key has gone' })
  for (let at = 0; at < 20; at++) expect(await a.isSpent(charge('looker', rule(1)))).toBe(false)
  expect(await clients[0].dbSize()).toBeLessThanOrEqual(kept)
  await a.take([charge('looker', rule(1))])
  expect(await a.isSpent(charge('looker', rule(1)))).toBe(true)
})

test('bytes count until a day after, and a body that has no room leaves no trace', async () => {
  const [a, b] = limiters()
  const body = (amount: number) => charge('writer', rule(1_000, DAY_MS), amount)
  expect((await a.take([body(600)])).verdicts).toEqual([{ limit: 1_000, remaining: 400, resetS: 86_400 }])
  expect((await b.take([body(401)])).refused).toMatchObject({ verdict: { remaining: 400 } })
  expect(await remaining(b, body(400))).toBe(0)
  expect((await a.take([body(1)])).refused?.verdict.resetS).toBeWithin(86_000, 86_401)
})

test('keys have one hash tag, hide the id and expire', async () => {
  const [a] = limiters()
  const id = 'U4af4980629c1f0b8d3e5a7c6b9d0e1f2'
  await a.take([charge(id, rule(5, 300))])
  const keys = await clients[0].keys('rl:*')
  for (const key of keys) expect(key).toMatch(/^rl:\{limits\}:[^{}]+$/)
  expect(keys.join()).not.toContain(id)
  await until(async () => (await clients[0].keys('rl:*')).length < keys.length, { what: 'the key expires' })
})

test('a Redis that lost its scripts is given them again', async () => {
  const [a] = limiters()
  await clients[0].scriptFlush()
  expect(await remaining(a, charge('after a flush'))).toBe(4)
})

test('while Redis stalls the process counts by itself, and only the first calls wait for Redis', async () => {
  const windows = new Windows({ redis: clients[0], log })
  const limiter = new Limiter({ count: windows.count })
  // A busy machine may be late for one of them.
  await until(() => !windows.away, { what: 'Redis counts' })
  server.suspend()
  const send = spyOn(clients[0], 'send')
  try {
    const allowed = []
    for (let at = 0; at < 40; at++) allowed.push(await isAllowed(limiter, charge('staller')))
    expect(allowed.filter(Boolean)).toHaveLength(5)
    for (let at = 0; at < 100; at++) expect(await isAllowed(limiter, charge(`other-${at}`))).toBe(true)
    expect(windows.size).toBe(101)
    // A request to Redis waits for its deadline; the background probe serves no request.
    expect(send.mock.calls.filter(([key]) => key !== 'rl:{limits}:probe')).toHaveLength(1)
  } finally {
    send.mockRestore()
    server.resume()
  }
  await until(() => !windows.away, { what: 'Redis counts again' })
  expect(windows.size).toBe(0)
  windows.stop()
})
