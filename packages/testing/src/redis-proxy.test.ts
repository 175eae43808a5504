import { expect, setDefaultTimeout, test } from 'bun:test'
import { testRedisCluster } from './redis-cluster.ts'
import { redisProxy } from './redis-proxy.ts'
import { testRedisServer } from './redis-server.ts'
import { TEST_TIMEOUT_MS } from './timeout.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

/** What a server answers to one command, whatever the answer is. */
async function ask(port: number, command: string): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>()
  const socket = await Bun.connect({
    hostname: '127.0.0.1',
    port,
    socket: {
      data: (_, bytes) => resolve(String(bytes)),
      close: () => resolve(''),
      error: () => resolve(''),
    },
  })
  socket.write(`${command}\r\n`)
  const answer = await promise
  socket.end()
  return answer
}

const portsIn = (text: string) => new Set(text.match(/(?<=127\.0\.0\.1(\r\n)?:)\d+/g))

test('the nodes of a cluster lead to one another through their proxies, and a fault is one of all', async () => {
  const cluster = await testRedisCluster()
  const proxy = await redisProxy(cluster.urls.join())
  try {
    const doors = proxy.url.split(',').map((url) => new URL(url).port)
    const [first, second, third] = doors.map(Number)
    if (!first || !second || !third) throw new Error('a proxy is missing')
    expect(portsIn(await ask(first, 'CLUSTER SLOTS'))).toEqual(new Set(doors))
    const moved = (
      await Promise.all([first, second, third].map((port) => ask(port, 'GET participant')))
    ).filter((answer) => answer.startsWith('-MOVED'))
    expect(moved).toHaveLength(2)
    for (const answer of moved) expect(doors).toContain([...portsIn(answer)][0] ?? '')
    await proxy.set('reset')
    for (const port of [first, second, third]) expect(await ask(port, 'PING')).toBe('')
    await proxy.set('drop-reply')
    for (const port of [first, second, third]) expect(await ask(port, 'PING')).toBe('')
    expect(proxy.dropped()).toBe(3)
    await proxy.set('pass')
    for (const port of [first, second, third]) expect(await ask(port, 'PING')).toBe('+PONG\r\n')
    const own = cluster.nodes.map(({ port }) => String(port))
    expect(portsIn(await ask(Number(own[0]), 'CLUSTER SLOTS'))).toEqual(new Set(own))
  } finally {
    await proxy.close()
    await cluster.close()
  }
})

test('before one server it is a fault proxy as any other', async () => {
  const server = await testRedisServer()
  const proxy = await redisProxy(server.url)
  try {
    expect(await ask(proxy.port, 'PING')).toBe('+PONG\r\n')
    await proxy.set('reset')
    expect(await ask(proxy.port, 'PING')).toBe('')
  } finally {
    await proxy.close()
    await server.close()
  }
})
