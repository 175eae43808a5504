import { expect, setDefaultTimeout, test } from 'bun:test'
import { testRedisCluster, untilClusterServes } from './redis-cluster.ts'
import { untilWritten } from './redis-server.ts'
import type { TestServer } from './server.ts'
import { TEST_TIMEOUT_MS } from './timeout.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

test('a cluster whose nodes were killed and started again has what it had, and takes commands once it is said to', async () => {
  const { nodes, close } = await testRedisCluster()
  const ask = ({ url }: TestServer, name: string, ...args: string[]): Promise<unknown> => {
    const node = new Bun.RedisClient(url)
    return node.send(name, args).finally(() => node.close())
  }
  // One of them holds the key; the others send the question on.
  const send = (name: string, ...args: string[]) => Promise.any(nodes.map((node) => ask(node, name, ...args)))
  try {
    expect(await send('SET', 'participant', 'dajia')).toBe('OK')
    for (const node of nodes) await untilWritten(() => ask(node, 'INFO', 'persistence'))
    await Promise.all(nodes.map((node) => node.kill9()))
    await Promise.all(nodes.map((node) => node.restart()))
    await untilClusterServes(nodes)
    expect(await send('GET', 'participant')).toBe('dajia')
  } finally {
    await close()
  }
})

test('a replica takes over from a killed master once what was to happen before is done, and not earlier', async () => {
  const { nodes, replicas, kill, close } = await testRedisCluster({ withReplicas: true })
  const [victim] = nodes
  if (!victim) throw new Error('a cluster without nodes')
  const masters = async () => {
    const others = [...nodes, ...replicas].filter(({ port }) => port !== victim.port)
    const roles = others.map(async ({ url }) => {
      const node = new Bun.RedisClient(url)
      const role: unknown = await node.send('ROLE', []).finally(() => node.close())
      return Array.isArray(role) && role[0] === 'master'
    })
    return (await Promise.all(roles)).filter(Boolean).length
  }
  try {
    let meanwhile = 0
    await kill(victim, async () => {
      meanwhile = await masters()
    })
    expect({ meanwhile, afterwards: await masters() }).toEqual({ meanwhile: 2, afterwards: 3 })
  } finally {
    await close()
  }
})
