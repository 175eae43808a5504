import { afterAll, beforeAll, beforeEach, expect, describe as group, setDefaultTimeout, test } from 'bun:test'
import { createLog } from '@palanquin/service/log'
import { connectRedis, type Redis } from '@palanquin/service/redis'
import { isRedisCluster, onOneServer, testRedis } from '@palanquin/testing/redis'
import type { TestServer } from '@palanquin/testing/server'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { until } from '@palanquin/testing/until'
import fc from 'fast-check'
import { Limiter } from '../limiter.ts'
import { LocalWindows } from '../memory/local-windows.ts'
import { RedisWindows } from '../redis/redis-windows.ts'
import type { Rule } from '../rules.ts'
import { GatewayRegistry } from './gateways.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

const WINDOW_MS = 60_000
const BEAT_EVERY_MS = 1_000
const GATEWAYS_MAX = 3
const RULES: readonly Rule[] = [
  { scope: 'user', limit: 3, windowMs: WINDOW_MS },
  { scope: 'address', limit: 40, windowMs: WINDOW_MS },
]
const log = createLog({ service: 'test', level: 'silent' })
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

/** The same Redis by a clock of ours: its scripts read the time from it, and entries of the log are named by it. */
function redisAt(clock: { nowMs: number }): Redis {
  const time = () => [String(Math.floor(clock.nowMs / 1_000)), String((clock.nowMs % 1_000) * 1_000)]
  const send = async (key: string, [name = '', lua = '', ...rest]: string[]): Promise<unknown> => {
    if (name === 'TIME') return time()
    const [s, us] = time()
    const ours = lua
      .replace(/(redis\.)?call\('TIME'\)/, `{'${s}', '${us}'}`)
      .replace("'*', 'calls'", `'${clock.nowMs}-*', 'calls'`)
    return redis.send(key, [name, ...(name === 'EVAL' ? [ours] : [lua]), ...rest])
  }
  return new Proxy(redis, {
    get: (target, name) => {
      if (name === 'send') return send
      const value: unknown = Reflect.get(target, name)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}

/** Some gateways over that Redis; none of them does anything by itself. */
function deploymentOf() {
  // Whole milliseconds, as Redis' own are exact to less than that.
  const clock = { nowMs: 1_000_000 }
  const nowMs = () => clock.nowMs
  const ours = redisAt(clock)
  const gateways: { registry: GatewayRegistry; limiter: Limiter; stalledUntilMs: number }[] = []
  const admitted = new Map<string, number[]>()
  let modes = ''
  const isReady = ({ registry }: { registry: GatewayRegistry }) =>
    registry.isAlone(clock.nowMs) || registry.isTogether(clock.nowMs)
  const beatAll = async () => {
    for (const { registry, stalledUntilMs } of gateways)
      if (stalledUntilMs <= clock.nowMs) await registry.beat()
  }
  const pass = async (ms: number) => {
    for (const endMs = clock.nowMs + ms; clock.nowMs < endMs; ) {
      clock.nowMs = Math.min(endMs, clock.nowMs + BEAT_EVERY_MS)
      await beatAll()
    }
  }
  const at = (index: number) => gateways[index % gateways.length]
  return {
    pass,
    jump: (ms: number) => {
      clock.nowMs += ms
    },
    stall: (index: number, ms: number) => {
      const gateway = at(index)
      if (gateway) gateway.stalledUntilMs = clock.nowMs + ms
    },
    /** Its port opens once it may count. */
    join: async () => {
      if (gateways.length >= GATEWAYS_MAX) return
      const shared = new RedisWindows({ redis: ours, log, deadlineMs: TEST_TIMEOUT_MS })
      const local = new LocalWindows()
      const registry = new GatewayRegistry({ shared, local, log, nowMs })
      const limiter = new Limiter({ local, shared, counting: registry, nowMs })
      const gateway = { registry, limiter, stalledUntilMs: 0 }
      await registry.beat()
      gateways.push(gateway)
      for (let seconds = 0; seconds < 5 && !isReady(gateway); seconds++) await pass(BEAT_EVERY_MS)
    },
    leave: async (index: number, { isCrash }: { isCrash: boolean }) => {
      const [gateway] = gateways.splice(index % Math.max(1, gateways.length), 1)
      if (!isCrash) await gateway?.registry.stop()
    },
    /** How many of so many calls at once are admitted; throws where that is too many. */
    call: async (index: number, { rule: at, id, calls }: { rule: number; id: number; calls: number }) => {
      const gateway = gateways[index % gateways.length]
      const rule = RULES[at]
      if (!gateway || !rule || gateway.stalledUntilMs > clock.nowMs) return 0
      // One that another does not let count yet admits its share, as while Redis is away.
      if (!isReady(gateway)) await gateway.registry.beat()
      if (!isReady(gateway)) return 0
      modes += gateway.registry.isAlone(clock.nowMs) ? 'a' : 't'
      const subject = { name: `rule-${at}`, rule, id: `${id}` }
      const verdicts = await Promise.all(Array.from({ length: calls }, () => gateway.limiter.take(subject)))
      const allowed = verdicts.filter((verdict) => verdict.allowed).length
      const times = [...(admitted.get(`${at} ${id}`) ?? []), ...Array(allowed).fill(clock.nowMs)]
      admitted.set(`${at} ${id}`, times)
      const inWindow = times.filter((time) => time > clock.nowMs - WINDOW_MS).length
      if (inWindow > rule.limit) throw new Error(`${inWindow} of ${rule.limit} in a window`)
      return allowed
    },
    modes: () => modes,
    isAlone: (index: number) => at(index)?.registry.isAlone(clock.nowMs) ?? false,
  }
}

const call = fc.record({
  what: fc.constant('call'),
  index: fc.nat({ max: GATEWAYS_MAX }),
  rule: fc.nat({ max: RULES.length - 1 }),
  id: fc.nat({ max: 1 }),
  calls: fc.constantFrom(1, 2, 5, 30),
})
const event = fc.record({
  what: fc.constantFrom('join', 'join', 'leave', 'crash', 'stall', 'jump'),
  index: fc.nat({ max: GATEWAYS_MAX }),
  ms: fc.constantFrom(500, 1_500, 2_500, 10_000, 31_000, 70_000),
})
const pass = fc.record({
  what: fc.constant('pass'),
  ms: fc.constantFrom(1, 700, 3_000, 20_000, 40_000, 62_000),
})
const step = fc.oneof(
  { weight: 8, arbitrary: call },
  { weight: 2, arbitrary: event },
  { weight: 2, arbitrary: pass },
)

test.skipIf(isRedisCluster)(
  onOneServer(
    'gateways that come, go, crash and stall admit no more than the limit in any window',
    'its scripts take the time from the test',
  ),
  async () => {
    let modes = ''
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 30, maxLength: 60 }), async (steps) => {
        await redis.flushAll()
        const deployment = deploymentOf()
        await deployment.join()
        for (const one of steps) {
          if ('rule' in one) await deployment.call(one.index, one)
          else if (!('index' in one)) await deployment.pass(one.ms)
          else if (one.what === 'join') await deployment.join()
          else if (one.what === 'stall') deployment.stall(one.index, one.ms)
          else if (one.what === 'jump') deployment.jump(one.ms)
          else await deployment.leave(one.index, { isCrash: one.what === 'crash' })
        }
        // Nothing is counted for longer than its window: the last ones may be 70 s late with their heartbeats.
        await deployment.pass(75_000)
        await deployment.join()
        for (const [rule, { limit }] of RULES.entries())
          expect(await deployment.call(0, { rule, id: 0, calls: limit + 1 })).toBe(limit)
        modes += deployment.modes()
      }),
      { seed: 20260503, numRuns: 40, unbiased: true },
    )
    const alone = [...modes].filter((mode) => mode === 'a').length
    expect([alone > modes.length / 10, alone < (modes.length * 9) / 10]).toEqual([true, true])
  },
)

group.skipIf(isRedisCluster)(onOneServer('a gateway', 'its scripts take the time from the test'), () => {
  beforeEach(() => redis.flushAll())
  const CALL = { rule: 0, id: 0 }

  test('that was alone for a minute counts alone again', async () => {
    const { join, leave, pass, isAlone, call } = deploymentOf()
    await join()
    expect(isAlone(0)).toBe(true)
    await join()
    await pass(70_000)
    expect(isAlone(0)).toBe(false)
    expect(await call(1, { ...CALL, calls: 2 })).toBe(2)
    await leave(1, { isCrash: false })
    await pass(55_000)
    expect(isAlone(0)).toBe(false)
    expect(await call(0, { ...CALL, calls: 2 })).toBe(1)
    await pass(7_000)
    expect(isAlone(0)).toBe(true)
    expect(await call(0, { ...CALL, calls: 5 })).toBe(2)
  })

  test('does not count alone for a minute after another came and went between its heartbeats', async () => {
    const { join, leave, pass, stall, isAlone, call } = deploymentOf()
    await join()
    await join()
    await leave(1, { isCrash: false })
    await pass(58_000)
    stall(0, 3_500)
    await join()
    expect(await call(1, { ...CALL, calls: 3 })).toBe(3)
    await leave(1, { isCrash: false })
    await pass(20_000)
    expect(isAlone(0)).toBe(false)
    expect(await call(0, { ...CALL, calls: 1 })).toBe(0)
  })

  test('that was stopped for minutes asks before it counts, and another that was alone meanwhile gives way', async () => {
    const { join, pass, stall, isAlone, call } = deploymentOf()
    await join()
    await join()
    stall(0, 150_000)
    await pass(149_000)
    expect(isAlone(1)).toBe(true)
    expect(await call(1, { ...CALL, calls: 3 })).toBe(3)
    stall(0, 0)
    expect(await call(0, { ...CALL, calls: 3 })).toBe(0)
    await pass(2_000)
    expect(isAlone(1)).toBe(false)
    expect(await call(0, { ...CALL, calls: 3 })).toBe(0)
    await pass(59_000)
    expect(await call(0, { ...CALL, calls: 5 })).toBe(3)
  })
})
