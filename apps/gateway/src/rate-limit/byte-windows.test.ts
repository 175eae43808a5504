import { afterAll, beforeAll, expect, test } from 'bun:test'
import { createLog } from '@palanquin/service/log'
import { connectRedis, type Redis } from '@palanquin/service/redis'
import { testRedis } from '@palanquin/testing/redis'
import type { TestServer } from '@palanquin/testing/server'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { until } from '@palanquin/testing/until'
import fc from 'fast-check'
import { ByteWindows } from './byte-windows.ts'
import { RedisWindows } from './redis/redis-windows.ts'
import type { Rule } from './rules.ts'

const log = createLog({ service: 'test', level: 'silent' })
const DAY_MS = 86_400_000
const rule: Rule = { scope: 'address', limit: 1_000, windowMs: DAY_MS, of: 'bytes' }
const of = (id: string, more: Partial<Rule> = {}) => ({ name: 'written', rule: { ...rule, ...more }, id })

let server: TestServer
let redis: Redis
beforeAll(async () => {
  server = await testRedis()
  redis = connectRedis({ url: server.url, name: 'test', log })
  await until(() => redis.isReady, { what: 'a connection' })
})
afterAll(async () => {
  redis.destroy()
  await server.close()
})

const shared = () =>
  new ByteWindows({ shared: new RedisWindows({ redis, log, deadlineMs: TEST_TIMEOUT_MS }) })
/** As it is while Redis is away. */
const alone = (nowMs: () => number) => new ByteWindows({ shared: { attempt: async () => undefined }, nowMs })

test('all processes together admit the limit of bytes, and a refused body leaves no trace', async () => {
  const [a, b] = [shared(), shared()]
  const first = await a.take(of('x'), 600)
  expect(first).toMatchObject({ allowed: true, limit: 1_000, remaining: 400, resetS: 86_400 })
  expect(await b.take(of('x'), 401)).toMatchObject({ allowed: false, remaining: 400 })
  expect(await b.take(of('x'), 400)).toMatchObject({ allowed: true, remaining: 0 })
  const refused = await a.take(of('x'), 1)
  expect(refused.allowed).toBe(false)
  expect(refused.resetS).toBeWithin(86_000, 86_401)
  expect((await a.take(of('another'), 1_000)).allowed).toBe(true)
})

test('bytes of a call that its service rejected are given back, those of a call without a reply are not', async () => {
  const windows = shared()
  const first = await windows.take(of('y'), 700)
  first.settle?.('rejected')
  await until(async () => (await windows.take(of('y'), 0)).remaining === 1_000, { what: 'given back' })
  for (const outcome of ['accepted', 'unknown'] as const) (await windows.take(of('y'), 500)).settle?.(outcome)
  expect((await windows.take(of('y'), 1)).allowed).toBe(false)
})

test('a window begins with its first bytes and ends a day later', async () => {
  const windows = shared()
  await windows.take(of('z', { windowMs: 3_000 }), 1_000)
  expect((await windows.take(of('z', { windowMs: 3_000 }), 1)).allowed).toBe(false)
  await until(async () => (await windows.take(of('z', { windowMs: 3_000 }), 1)).allowed, {
    what: 'a new window',
  })
  let nowMs = 0
  const own = alone(() => nowMs)
  expect((await own.take(of('z'), 1_000)).allowed).toBe(true)
  nowMs = DAY_MS - 1
  expect(await own.take(of('z'), 1)).toMatchObject({ allowed: false, resetS: 1 })
  nowMs = DAY_MS
  expect((await own.take(of('z'), 1)).allowed).toBe(true)
})

test('takes of one tick are counted in their order, each as if it were alone', async () => {
  const windows = shared()
  const spends = [600, 500, 300, 100, 1].map((bytes) => windows.take(of('tick'), bytes))
  const other = windows.take(of('tock'), 1_000)
  const verdicts = await Promise.all(spends)
  expect(verdicts.map(({ allowed }) => allowed)).toEqual([true, false, true, true, false])
  expect(verdicts.map(({ remaining }) => remaining)).toEqual([400, 400, 100, 0, 0])
  expect(await other).toMatchObject({ allowed: true, remaining: 0 })
})

test('whatever is taken and given back in a tick, and however often, counts as one after another does', async () => {
  const amounts = fc.array(fc.tuple(fc.nat({ max: 2 }), fc.nat({ max: 700 }), fc.boolean()), {
    maxLength: 12,
  })
  await fc.assert(
    fc.asyncProperty(fc.array(amounts, { maxLength: 4 }), async (ticks) => {
      await redis.flushAll()
      const windows = shared()
      const own = alone(() => 0)
      const known = new Set<number>()
      for (const tick of ticks) {
        const take = (windows: ByteWindows) =>
          tick.map(([key, bytes]) => windows.take(of(`key ${key}`), bytes))
        const [ours, theirs] = [await Promise.all(take(windows)), await Promise.all(take(own))]
        const said = (verdicts: typeof ours) =>
          verdicts.map(({ allowed, remaining }) => ({ allowed, remaining }))
        expect(said(ours)).toEqual(said(theirs))
        for (const verdicts of [ours, theirs])
          await Promise.all(
            verdicts.map((verdict, at) => tick[at]?.[2] && verdict.allowed && verdict.giveBack()),
          )
        const keys = await redis.keys('*')
        for (const [key] of tick) known.add(key)
        expect(keys).toHaveLength(known.size)
        for (const key of keys) expect(await redis.pTTL(key)).toBeWithin(1, DAY_MS + 1)
      }
    }),
    { seed: 20261123, numRuns: 40 },
  )
})

test('without Redis the process counts by itself and gives back', async () => {
  const own = alone(() => 0)
  const first = await own.take(of('x'), 800)
  expect((await own.take(of('x'), 201)).allowed).toBe(false)
  first.settle?.('rejected')
  expect((await own.take(of('x'), 1_000)).allowed).toBe(true)
})
