import { expect, setDefaultTimeout, test } from 'bun:test'
import { testRedisCluster, untilClusterServes } from './redis-cluster.ts'
import { TEST_TIMEOUT_MS } from './timeout.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

test('a cluster whose nodes were killed and started again has what it had, and takes commands once it is said to', async () => {
  const { nodes, close } = await testRedisCluster()
  const send = async (...command: [string, ...string[]]): Promise<unknown> => {
    const [name, ...args] = command
    // One of them holds the key; the others send the question on.
    const asked = nodes.map(async ({ url }) => {
      const node = new Bun.RedisClient(url)
      return node.send(name, args).finally(() => node.close())
    })
    return Promise.any(asked)
  }
  try {
    expect(await send('SET', 'participant', 'dajia')).toBe('OK')
    await Promise.all(nodes.map((node) => node.kill9()))
    await Promise.all(nodes.map((node) => node.restart()))
    await untilClusterServes(nodes)
    expect(await send('GET', 'participant')).toBe('dajia')
  } finally {
    await close()
  }
})
