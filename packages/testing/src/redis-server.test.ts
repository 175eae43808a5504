import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { testRedisServer, untilWritten } from './redis-server.ts'
import type { TestServer } from './server.ts'
import { TEST_TIMEOUT_MS } from './timeout.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

let redis: TestServer
beforeAll(async () => {
  redis = await testRedisServer()
})
afterAll(() => redis.close())

/** One command over a connection of its own. */
async function say(command: string, withinMs = 300_000): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>()
  const socket = await Bun.connect({
    hostname: '127.0.0.1',
    port: redis.port,
    socket: { data: (_, bytes) => resolve(bytes.toString().trim()), close: () => resolve('') },
  })
  socket.write(`${command}\r\n`)
  const timer = setTimeout(() => resolve(''), withinMs)
  const answer = await promise
  clearTimeout(timer)
  socket.end()
  return answer
}

test('what Redis acknowledged is there after a kill -9 and a restart, at the same address', async () => {
  expect(await say('SET participant dajia')).toBe('+OK')
  await untilWritten(() => say('INFO persistence'))
  const pid = redis.pid()
  await redis.kill9()
  await expect(say('GET participant')).rejects.toThrow()
  await redis.restart()
  expect(redis.pid()).not.toBe(pid)
  expect(await say('GET participant')).toContain('dajia')
})

test('a suspended Redis accepts connections and says nothing until it is resumed', async () => {
  redis.suspend()
  expect(await say('PING', 200)).toBe('')
  redis.resume()
  expect(await say('PING')).toBe('+PONG')
})

test('a Redis with a memory limit refuses writes instead of evicting', async () => {
  const small = await testRedisServer({ maxmemory: '1mb' })
  try {
    const client = new Bun.RedisClient(small.url)
    await expect(client.set('key', 'x'.repeat(2_000_000))).rejects.toThrow(/OOM/)
    client.close()
  } finally {
    await small.close()
  }
})
