import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import { capturedLog } from '@palanquin/testing/captured-log'
import { testRedisServer } from '@palanquin/testing/redis-server'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { until } from '@palanquin/testing/until'
import { connectRedis } from './redis.ts'
import { serverProblem } from './redis-requirements.ts'
import { type StoreCheck, storesPart } from './stores-part.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)
const opened: { stop: () => unknown }[] = []
afterAll(async () => {
  for (const { stop } of opened.reverse()) await stop()
})

async function server(...extraArgs: string[]) {
  const redis = await testRedisServer({ extraArgs })
  opened.push({ stop: redis.close })
  return redis
}

function start(url: string, check?: StoreCheck) {
  const captured = capturedLog()
  const refused: unknown[] = []
  const part = storesPart({
    log: captured.log,
    redis: [connectRedis({ url, name: 'test', log: captured.log })],
    refuse: () => refused.push(url),
    ...(check ? { check } : {}),
  })
  opened.push({ stop: async () => part.stop?.() })
  return { captured, refused, started: Promise.resolve(part.start?.()) }
}

test('a Redis that evicts, or that keeps no append-only file, is refused with what to set', async () => {
  const evicting = await server('--maxmemory', '64mb', '--maxmemory-policy', 'allkeys-lru')
  const forgetful = await server('--appendonly', 'no')
  await expect(start(evicting.url).started).rejects.toThrow('set maxmemory-policy noeviction')
  await expect(start(forgetful.url).started).rejects.toThrow('set appendonly yes')
  await start((await server()).url).started
})

test('Redis 6 is too old, Redis 8 and Valkey 8 serve', () => {
  const info = (version: string) =>
    `redis_version:${version}\r\nmaxmemory_policy:noeviction\r\naof_enabled:1\r\n`
  expect(serverProblem(info('6.2.14'))).toContain('Redis 6.2.14 is too old')
  for (const version of ['7.0.15', '7.2.4', '8.0.2']) expect(serverProblem(info(version))).toBeUndefined()
})

test('a user without the right to INFO is served, with a warning', async () => {
  const redis = await server('--user', 'plain', 'on', 'nopass', '~*', '&*', '+@all', '-info')
  const url = new URL(redis.url)
  url.username = 'plain'
  url.password = 'any'
  const { captured, started } = start(url.href)
  await started
  expect(captured.lines.map(({ event }) => event)).toContain('redis.unchecked')
})

test('a store that is away at the start is no reason to refuse; it is checked when it comes', async () => {
  const redis = await server()
  let problem: string | undefined
  let isAway = true
  const { refused, started } = start(redis.url, async () => {
    if (isAway) throw new Error('away')
    return problem
  })
  await started
  expect(refused).toEqual([])
  problem = 'of another version'
  isAway = false
  await until(() => refused.length > 0, { what: 'the store that came is refused' })
})
