import { createServer } from 'node:net'
import { RedisClient } from 'bun'
import { type TestRedisOptions, testRedisServer } from './redis-server.ts'
import type { TestServer } from './server.ts'
import { until } from './until.ts'

const NODES = 3
/** Redis Cluster has so many slots; each node gets as many as the others. */
const SLOTS = 16_384

export type TestCluster = { urls: string[]; nodes: readonly TestServer[]; close: () => Promise<void> }

/** A real Redis Cluster of three masters, from the same program as `testRedisServer`. Starts in some two seconds. */
export async function testRedisCluster(options: TestRedisOptions = {}): Promise<TestCluster> {
  const buses = await freePorts(NODES)
  const nodes = await Promise.all(
    buses.map((bus) =>
      testRedisServer({
        ...options,
        // By itself the bus is 10,000 above the port, and that may be more than a port can be.
        extraArgs: [
          '--cluster-enabled',
          'yes',
          '--cluster-port',
          `${bus}`,
          '--cluster-announce-ip',
          '127.0.0.1',
          ...(options.extraArgs ?? []),
        ],
      }),
    ),
  )
  const clients = nodes.map(({ url }) => new RedisClient(url))
  const ask = (node: number, ...args: string[]): Promise<unknown> =>
    clients[node]?.send('CLUSTER', args) ?? Promise.reject(new Error(`there is no node ${node}`))
  try {
    for (const [node, server] of nodes.entries()) {
      const [from, to] = [Math.floor((node * SLOTS) / NODES), Math.floor(((node + 1) * SLOTS) / NODES) - 1]
      await ask(node, 'ADDSLOTSRANGE', `${from}`, `${to}`)
      // Nodes that begin at the same time would otherwise argue about whose configuration is newer.
      await ask(node, 'SET-CONFIG-EPOCH', `${node + 1}`)
      if (node > 0) await ask(0, 'MEET', '127.0.0.1', `${server.port}`, `${buses[node]}`)
    }
    const isWhole = async () => {
      const states = await Promise.all(nodes.map(async (_, node) => String(await ask(node, 'INFO'))))
      return states.every(
        (state) => /cluster_state:ok/.test(state) && state.includes(`cluster_known_nodes:${NODES}`),
      )
    }
    await until(isWhole, { what: 'three nodes that know each other' })
  } finally {
    for (const client of clients) client.close()
  }
  return {
    urls: nodes.map(({ url }) => url),
    nodes,
    close: async () => {
      await Promise.all(nodes.map((node) => node.close()))
    },
  }
}

/** Ports that nobody listens on now, all different. */
async function freePorts(count: number): Promise<number[]> {
  const servers = await Promise.all(
    Array.from(
      { length: count },
      () =>
        new Promise<ReturnType<typeof createServer>>((resolve, reject) => {
          const server = createServer().once('error', reject)
          server.listen(0, '127.0.0.1', () => resolve(server))
        }),
    ),
  )
  return servers.map((server) => {
    const address = server.address()
    server.close()
    return typeof address === 'object' && address ? address.port : 0
  })
}
