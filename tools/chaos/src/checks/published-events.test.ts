import { expect, test } from 'bun:test'
import { STREAM_KEY } from '@palanquin/events/stream'
import { testRedisServer, untilWritten } from '@palanquin/testing/redis-server'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { recordEvents } from './published-events.ts'

/** By then a client with one retry has given up on its server for good. */
const GIVEN_UP_MS = 2_000

const publish = async (url: string, ...ids: string[]) => {
  const redis = new Bun.RedisClient(url)
  for (const id of ids) await redis.send('XADD', [STREAM_KEY, '*', 'id', id, 'type', 'x', 'data', '{}'])
  await untilWritten(() => redis.send('INFO', ['persistence']))
  redis.close()
}

test(
  'events from before and after a long absence of Redis are recorded, each once',
  async () => {
    const server = await testRedisServer()
    const bus = await recordEvents(server.url, { maxRetries: 1 })
    await publish(server.url, 'a', 'b')
    await server.kill9()
    await Bun.sleep(GIVEN_UP_MS)
    await server.restart()
    await publish(server.url, 'b', 'c')
    expect((await bus.events()).map(({ id }) => id)).toEqual(['a', 'b', 'c'])
    await bus.close()
    await server.close()
  },
  TEST_TIMEOUT_MS,
)
