import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { connectRedis, type Redis } from '@palanquin/service/redis'
import { capturedLog } from '@palanquin/testing/captured-log'
import { testRedis } from '@palanquin/testing/redis'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { until } from '@palanquin/testing/until'
import { pointsKey } from '../buffer/keys.ts'
import { createRedisWatch } from './redis-loss.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)
const KEY = pointsKey(0)

const { log, lines } = capturedLog()
let server: Awaited<ReturnType<typeof testRedis>>
let redis: Redis
beforeAll(async () => {
  server = await testRedis()
  redis = connectRedis({ url: server.url, name: 'test', log })
  await until(() => redis.isReady, { what: 'Redis' })
})
afterAll(async () => {
  redis.destroy()
  await server.close()
})

test('while Redis evicts, the journal is neither replayed nor let go; afterwards it is replayed once', async () => {
  const done: string[] = []
  const redisWatch = createRedisWatch({
    redis,
    log,
    now: () => 0,
    restoreTokens: async () => {},
    journal: {
      epoch: null,
      withoutHighWater: () => [],
      hasUnflushed: () => true,
      markPersisted: () => {},
      markFlushed: () => void done.push('flushed'),
      requeue: async (lost) => done.push(`replayed ${lost}`),
    },
  })
  await redisWatch.check()
  expect(done.splice(0)).toEqual(['flushed'])

  await redis.send(KEY, ['CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lru'])
  for (let i = 0; i < 20; i++) {
    await redis.flushAll()
    expect(await redisWatch.check()).toBe(true)
  }
  expect([done, redisWatch.epoch()]).toEqual([[], null])
  expect(lines.filter(({ event }) => event === 'journal.kept_all')).toHaveLength(1)

  await redis.send(KEY, ['CONFIG', 'SET', 'maxmemory-policy', 'noeviction'])
  await redisWatch.check()
  await redisWatch.check()
  expect(done).toEqual(['replayed all', 'flushed'])
})
