import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test'
import { createLog } from '@palanquin/service/log'
import { connectRedis, type Redis } from '@palanquin/service/redis'
import { testRedis } from '@palanquin/testing/redis'
import type { TestServer } from '@palanquin/testing/server'
import { until } from '@palanquin/testing/until'
import { Limiter } from '../limiter.ts'
import { LocalWindows } from '../memory/local-windows.ts'
import { RedisWindows } from '../redis/redis-windows.ts'
import { GatewayRegistry } from './gateways.ts'
import { LOG } from './heartbeat-script.ts'

const log = createLog({ service: 'test', level: 'silent' })
let server: TestServer
let redis: Redis
beforeAll(async () => {
  server = await testRedis()
  redis = connectRedis({ url: server.url, name: 'test', log })
  await until(() => redis.isReady, { what: 'a connection' })
})
beforeEach(() => redis.flushAll())
afterAll(async () => {
  redis.destroy()
  await server.close()
})

/** So many gateways that know of each other, each with the limits that it keeps. */
async function gatewaysOf(count: number) {
  const all = Array.from({ length: count }, () => {
    const shared = new RedisWindows({ redis, log })
    const local = new LocalWindows()
    const gateways = new GatewayRegistry({ shared, local, log })
    return { shared, gateways, limiter: new Limiter({ local, shared, counting: gateways }) }
  })
  for (const { gateways } of all) await gateways.start()
  await until(() => all.every(({ gateways }) => gateways.count === count), {
    what: 'they know of each other',
  })
  return {
    all,
    close: async () => {
      for (const { gateways, shared } of all) {
        await gateways.stop()
        shared.stop()
      }
    },
  }
}

test.each([1, 2, 3, 5])(
  'the shares of %d gateways come to the limit, and each is at least one',
  async (count) => {
    const { all, close } = await gatewaysOf(count)
    for (const limit of [5, 10, 60, 6_000]) {
      const shares = all.map(({ gateways }) => gateways.share(limit))
      expect(shares.reduce((sum, share) => sum + share)).toBe(limit)
      expect(Math.max(...shares) - Math.min(...shares)).toBeLessThanOrEqual(1)
    }
    for (const { gateways } of all) expect(gateways.share(1)).toBe(1)
    await close()
  },
)

test('two gateways let five check-ins through together while Redis stalls, also those that waited for it', async () => {
  const { all, close } = await gatewaysOf(2)
  const subject = { name: 'checkin', rule: { scope: 'user', limit: 5, windowMs: 60_000 }, id: 'U1' } as const
  const callAll = () => Promise.all(Array.from({ length: 20 }, (_, i) => all[i % 2]?.limiter.take(subject)))
  server.suspend()
  try {
    const waited = (await callAll()).filter((verdict) => verdict?.allowed)
    const later = (await callAll()).filter((verdict) => verdict?.allowed)
    expect([waited.length, later.length]).toEqual([5, 0])
  } finally {
    server.resume()
  }
  await close()
})

test('a gateway that stops is forgotten at once, and the others share the whole limit', async () => {
  const { all, close } = await gatewaysOf(2)
  const [first, second] = all
  await second?.gateways.stop()
  await until(() => first?.gateways.share(5) === 5, { what: 'the other one is alone' })
  await close()
})

test('the log of a gateway that counts alone lasts as long as it is there, however old it is', async () => {
  const { all, close } = await gatewaysOf(1)
  const subject = { name: 'checkin', rule: { scope: 'user', limit: 5, windowMs: 60_000 }, id: 'U1' } as const
  expect((await all[0]?.limiter.take(subject))?.allowed).toBe(true)
  // As if it had begun nearly two minutes ago.
  expect(await redis.pExpire(LOG, 30_000)).toBe(1)
  await until(async () => (await redis.pTTL(LOG)) > 100_000, { what: 'a heartbeat has kept it' })
  await close()
})
