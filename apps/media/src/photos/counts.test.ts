import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { createLog } from '@palanquin/service/log'
import { connectRedis, type Redis } from '@palanquin/service/redis'
import { testRedis } from '@palanquin/testing/redis'
import { redisProxy } from '@palanquin/testing/redis-proxy'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { until } from '@palanquin/testing/until'
import { photoCounts } from './counts.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

/** In each direction: longer than a reader waits for the cache, in all. */
const SLOW_MS = 300
const log = createLog({ service: 'test', level: 'silent' })
const closing: (() => unknown)[] = []
let redis: Redis
let proxy: Awaited<ReturnType<typeof redisProxy>>
beforeAll(async () => {
  const server = await testRedis()
  proxy = await redisProxy(server.url)
  redis = connectRedis({ url: proxy.url, name: 'test', log })
  closing.push(() => redis.destroy(), proxy.close, server.close)
  await until(() => redis.isReady, { what: 'a connection to Redis' })
})
afterAll(async () => {
  for (const close of closing) await close()
})

test('only `forget` waits for a slow Redis', async () => {
  let counted = 0
  const counts = photoCounts({ redis, log, store: { count: async () => ++counted } })
  expect(await counts.of('U1')).toBe(1)
  // A busy machine's Redis may be late for the cache.
  const isCached = async () => {
    const before = counted
    await counts.of('U1')
    return counted === before
  }
  await until(isCached, { what: 'a count from the cache' })
  await proxy.set({ slow: { delayMs: SLOW_MS } })
  await until(() => counts.forget('U1').then(() => true), { what: 'it is forgotten' })
  expect(await isCached()).toBe(false)
  await proxy.set('pass')
})
