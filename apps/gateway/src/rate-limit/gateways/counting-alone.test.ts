import { afterAll, beforeAll, beforeEach, expect, setDefaultTimeout, spyOn, test } from 'bun:test'
import { createLog } from '@palanquin/service/log'
import { connectRedis, type Redis } from '@palanquin/service/redis'
import { capturedLog } from '@palanquin/testing/captured-log'
import { testRedis } from '@palanquin/testing/redis'
import type { TestServer } from '@palanquin/testing/server'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { until } from '@palanquin/testing/until'
import { Limiter } from '../limiter.ts'
import { LocalWindows } from '../memory/local-windows.ts'
import { RedisWindows } from '../redis/redis-windows.ts'
import type { Rule } from '../rules.ts'
import { GatewayRegistry } from './gateways.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

const quiet = createLog({ service: 'test', level: 'silent' })
let server: TestServer
let redis: Redis
const opened: (() => Promise<void>)[] = []
beforeAll(async () => {
  server = await testRedis()
  redis = connectRedis({ url: server.url, name: 'test', log: quiet })
  await until(() => redis.isReady, { what: 'a connection' })
})
beforeEach(() => redis.flushAll())
afterAll(async () => {
  for (const stop of opened) await stop()
  redis.destroy()
  await server.close()
})

/** As a process is: `start` before its port opens, `stop` after it has closed. Without `stop` it was killed. */
function gatewayOf({ deadlineMs = TEST_TIMEOUT_MS, entriesMax = 2 ** 16 } = {}) {
  const { log, lines } = capturedLog()
  const shared = new RedisWindows({ redis, log, deadlineMs })
  const local = new LocalWindows({ entriesMax })
  const registry = new GatewayRegistry({ shared, local, log })
  const limiter = new Limiter({ local, shared, counting: registry })
  let isAlive = true
  const kill = async () => {
    if (!isAlive) return
    isAlive = false
    // Its heartbeats end, and nothing else is said.
    const away = spyOn(shared, 'attempt').mockResolvedValue(undefined)
    await registry.stop()
    away.mockRestore()
    shared.stop()
  }
  opened.push(kill)
  return {
    shared,
    registry,
    limiter,
    kill,
    start: () => registry.start(),
    stop: async () => {
      isAlive = false
      await registry.stop()
      shared.stop()
    },
    events: () => lines.map(({ event }) => event),
    isAlone: () => registry.isAlone(performance.now()),
    /** How many of so many calls are admitted. */
    admitted: async (calls: number, id = 'U1', rule = CHECKIN) => {
      const verdicts = await Promise.all(
        Array.from({ length: calls }, () => limiter.take({ name: 'checkin', rule, id })),
      )
      return verdicts.filter(({ allowed }) => allowed).length
    },
  }
}
type Gateway = ReturnType<typeof gatewayOf>

const CHECKIN: Rule = { scope: 'user', limit: 5, windowMs: 60_000 }
const READS: Rule = { scope: 'address', limit: 6_000, windowMs: 60_000 }
const SURVEY: Rule = { scope: 'user', limit: 2, windowMs: 600_000 }
const subject = { name: 'checkin', rule: CHECKIN, id: 'U1' }

/** One that counts alone, as the first of a new deployment does. */
async function loneGateway(options: Parameters<typeof gatewayOf>[0] = {}): Promise<Gateway> {
  const gateway = gatewayOf(options)
  await gateway.start()
  await until(gateway.isAlone, { what: 'it counts alone' })
  return gateway
}

test('the only gateway of a new deployment counts alone: exactly, at once, and with no key for it', async () => {
  const gateway = await loneGateway()
  const verdicts = Array.from({ length: 20 }, () => gateway.limiter.takeNow(subject))
  expect(verdicts.map((verdict) => verdict?.allowed)).toEqual(Array.from({ length: 20 }, (_, i) => i < 5))
  expect(verdicts.slice(0, 6).map((verdict) => verdict?.remaining)).toEqual([4, 3, 2, 1, 0, 0])
  expect(verdicts.at(-1)?.resetS).toBeWithin(1, 61)
  expect(verdicts.map((verdict) => verdict?.kept !== undefined)).toEqual(verdicts.map((_, i) => i < 5))
  await Promise.all(verdicts.map((verdict) => verdict?.kept))
  expect(gateway.limiter.refused).toEqual({})
  expect((await gateway.limiter.take(subject)).allowed).toBe(false)
  expect(gateway.limiter.refused).toEqual({ checkin: 1 })
  expect(await redis.exists('rl:{gateways}:log')).toBe(1)
  expect((await redis.keys('*')).every((key) => key.startsWith('rl:{gateways}'))).toBe(true)
  for (const key of await redis.keys('*')) expect(await redis.pTTL(key)).toBeWithin(1, 120_001)
  expect(gateway.events()).toContain('limits.sole')
  await gateway.stop()
})

test('longer windows are counted in Redis all the same', async () => {
  const gateway = await loneGateway()
  expect(gateway.limiter.takeNow({ name: 'submit', rule: SURVEY, id: 'U1' })).toBeUndefined()
  expect(await gateway.admitted(5, 'U1', SURVEY)).toBe(2)
  await gateway.stop()
})

test('one that starts beside it knows all that it has admitted, and both count together from then on', async () => {
  const first = await loneGateway()
  expect(await first.admitted(3)).toBe(3)
  expect(await first.admitted(4_000, 'address', READS)).toBe(4_000)
  const second = gatewayOf()
  await second.start()
  expect(second.events()).toContain('limits.log_read')
  expect([first.isAlone(), second.isAlone()]).toEqual([false, false])
  expect(first.events()).toContain('limits.yielded')
  const looks = await Promise.all([first, second].map(({ limiter }) => limiter.look(subject)))
  expect(looks.map(({ remaining }) => remaining)).toEqual([2, 2])
  expect((await Promise.all([second.admitted(10), first.admitted(10)])).reduce((sum, n) => sum + n)).toBe(2)
  expect(second.limiter.takeNow(subject)).toBeUndefined()
  const reads = await Promise.all([first, second].map(({ admitted }) => admitted(1_500, 'address', READS)))
  expect(reads.reduce((sum, n) => sum + n)).toBe(2_000)
  expect(await second.admitted(10, 'U2')).toBe(5)
  await first.stop()
  await second.stop()
})

test('what is refused by both says when there is room again', async () => {
  const first = await loneGateway()
  await first.admitted(2)
  await Bun.sleep(20)
  const second = gatewayOf()
  await second.start()
  await second.admitted(3)
  for (const { limiter } of [first, second]) {
    const verdict = await limiter.take(subject)
    expect([verdict.allowed, verdict.remaining]).toEqual([false, 0])
    expect(verdict.resetS).toBeWithin(1, 61)
  }
  await first.stop()
  await second.stop()
})

test.each(['stop', 'kill'] as const)('after a %s the next one knows what was answered', async (end) => {
  const first = await loneGateway()
  expect(await first.admitted(3)).toBe(3)
  expect(await first.admitted(6_000, 'address', READS)).toBe(6_000)
  await first[end]()
  const second = gatewayOf()
  await second.start()
  expect(second.isAlone()).toBe(false)
  expect(await second.admitted(10)).toBe(2)
  expect(await second.admitted(10, 'address', READS)).toBe(0)
  await second.stop()
})

test('a place that was given back is free here and for the next one', async () => {
  const first = await loneGateway()
  const verdicts = Array.from({ length: 5 }, () => first.limiter.takeNow(subject))
  await verdicts[1]?.giveBack()
  await Promise.all(verdicts.map((verdict) => verdict?.kept))
  await verdicts[3]?.giveBack()
  expect(await first.admitted(1)).toBe(1)
  await first.stop()
  const second = gatewayOf()
  await second.start()
  expect(await second.admitted(10)).toBe(1)
  await second.stop()
})

test('a gateway whose lease has run out asks before it counts: nobody has counted, and it goes on alone', async () => {
  let skewMs = 0
  const shared = new RedisWindows({ redis, log: quiet, deadlineMs: TEST_TIMEOUT_MS })
  const local = new LocalWindows()
  const nowMs = () => performance.now() + skewMs
  const registry = new GatewayRegistry({ shared, local, log: quiet, nowMs })
  const limiter = new Limiter({ local, shared, counting: registry, nowMs })
  await registry.settled()
  expect(limiter.takeNow(subject)?.allowed).toBe(true)
  skewMs = 5_000
  expect(limiter.takeNow(subject)).toBeUndefined()
  expect((await limiter.take(subject)).remaining).toBe(3)
  expect(await redis.keys('rl:{few:*')).toEqual([])
  await registry.stop()
})

test('while Redis stalls the lone gateway goes on: one short wait, then none', async () => {
  const gateway = await loneGateway({ deadlineMs: 250 })
  await until(() => !gateway.shared.away && gateway.isAlone(), { what: 'Redis answers' })
  server.suspend()
  try {
    const first = gateway.limiter.takeNow(subject)
    await first?.kept
    await until(() => gateway.shared.away, { what: 'Redis is away' })
    for (let i = 0; i < 10; i++) {
      const verdict = gateway.limiter.takeNow(subject)
      expect([verdict?.allowed, verdict?.kept]).toEqual([i < 4, undefined])
    }
  } finally {
    server.resume()
  }
  await until(() => !gateway.shared.away && gateway.isAlone(), { what: 'it counts alone again' })
  expect(gateway.limiter.takeNow(subject)?.allowed).toBe(false)
  await gateway.stop()
})

test('a gateway whose memory is full counts in Redis, and none is admitted too often', async () => {
  const gateway = await loneGateway({ entriesMax: 1_024 })
  const callAll = (calls: number) =>
    Promise.all(Array.from({ length: 1_100 }, (_, i) => gateway.admitted(calls, `crowd-${i}`)))
  expect(new Set(await callAll(1))).toEqual(new Set([1]))
  expect(gateway.isAlone()).toBe(false)
  expect(new Set(await callAll(6))).toEqual(new Set([4]))
  await gateway.stop()
})

test('a Redis that comes back empty finds the lone gateway with its counts', async () => {
  const gateway = await loneGateway()
  expect(await gateway.admitted(3)).toBe(3)
  await redis.flushAll()
  await until(async () => (await redis.keys('*')).length > 0 && gateway.isAlone(), { what: 'a heartbeat' })
  expect(await gateway.admitted(10)).toBe(2)
  await gateway.stop()
})
