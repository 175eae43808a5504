import { mkdirSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { RedisClient } from 'bun'
import { type TestRedisOptions, testRedisServer } from './redis-server.ts'
import type { TestServer } from './server.ts'
import { until } from './until.ts'

const NODES = 3
/** Redis Cluster has so many slots; each node gets as many as the others. */
const SLOTS = 16_384

/** Long enough that a busy machine does not make a node suspect the others. */
const NODE_TIMEOUT_MS = '5000'
/** Where a replica is to take over, a test waits for it. */
const FAILOVER_TIMEOUT_MS = '1000'

/** In what a node reports of its cluster. */
const SERVES = /cluster_state:ok/

/** `nodes` are the masters at the start; `replicas`, where they were asked for, in the same order. */
export type TestCluster = {
  urls: string[]
  nodes: readonly TestServer[]
  replicas: readonly TestServer[]
  close: () => Promise<void>
}

/**
 * A real Redis Cluster of three masters, with a replica each if wanted, from the same program as `testRedisServer`.
 * Starts in some two seconds.
 */
export async function testRedisCluster({
  withReplicas = false,
  extraArgs = [],
  folder,
  ...options
}: TestRedisOptions & { withReplicas?: boolean } = {}): Promise<TestCluster> {
  // By itself the bus is 10,000 above the port, and that may be more than a port can be.
  const buses = await freePorts(withReplicas ? 2 * NODES : NODES)
  const timeout = withReplicas ? FAILOVER_TIMEOUT_MS : NODE_TIMEOUT_MS
  const settings = (bus: number) => [
    ...['--cluster-enabled', 'yes', '--cluster-port', `${bus}`, '--cluster-announce-ip', '127.0.0.1'],
    ...['--cluster-node-timeout', timeout, '--repl-diskless-sync-delay', '0'],
  ]
  const servers = await Promise.all(
    buses.map((bus, node) =>
      testRedisServer({
        ...options,
        ...(folder === undefined ? {} : { folder: nodeFolderOf(folder, node) }),
        extraArgs: [...settings(bus), ...extraArgs],
      }),
    ),
  )
  await unite(servers, buses)
  return {
    urls: servers.map(({ url }) => url),
    nodes: servers.slice(0, NODES),
    replicas: servers.slice(NODES),
    close: async () => {
      await Promise.all(servers.map((server) => server.close()))
    },
  }
}

/** Each node has files of its own. */
function nodeFolderOf(folder: string, node: number): string {
  const nodeFolder = join(folder, `node-${node}`)
  mkdirSync(nodeFolder)
  return nodeFolder
}

/** The first three become masters, the others replicas of the first, the second, the third. */
async function unite(servers: readonly TestServer[], buses: readonly number[]): Promise<void> {
  const clients = servers.map(({ url }) => new RedisClient(url))
  const ask = (node: number, command: string, ...args: string[]): Promise<unknown> =>
    clients[node]?.send(command, args) ?? Promise.reject(new Error(`there is no node ${node}`))
  const all = async (what: string, isSo: (node: number) => Promise<boolean>) =>
    until(async () => (await Promise.all(servers.map((_, node) => isSo(node)))).every(Boolean), { what })
  try {
    for (const [node, server] of servers.entries()) {
      const [from, to] = [Math.floor((node * SLOTS) / NODES), Math.floor(((node + 1) * SLOTS) / NODES) - 1]
      if (node < NODES) await ask(node, 'CLUSTER', 'ADDSLOTSRANGE', `${from}`, `${to}`)
      // Nodes that begin at the same time would otherwise argue about whose configuration is newer.
      await ask(node, 'CLUSTER', 'SET-CONFIG-EPOCH', `${node + 1}`)
      if (node > 0) await ask(0, 'CLUSTER', 'MEET', '127.0.0.1', `${server.port}`, `${buses[node]}`)
    }
    await all('nodes that know each other', async (node) => {
      const state = String(await ask(node, 'CLUSTER', 'INFO'))
      return SERVES.test(state) && state.includes(`cluster_known_nodes:${servers.length}`)
    })
    for (let node = NODES; node < servers.length; node++)
      await ask(node, 'CLUSTER', 'REPLICATE', String(await ask(node - NODES, 'CLUSTER', 'MYID')))
    await all('replicas that follow', async (node) =>
      /master_link_status:up|role:master/.test(String(await ask(node, 'INFO', 'replication'))),
    )
  } finally {
    for (const client of clients) client.close()
  }
}

/** Resolves when nodes that were started again take commands: they answer CLUSTERDOWN until they have found each other. */
export async function untilClusterServes(nodes: readonly TestServer[]): Promise<void> {
  const clients = nodes.map(({ url }) => new RedisClient(url))
  const states = () =>
    Promise.all(clients.map(async (client) => String(await client.send('CLUSTER', ['INFO']))))
  try {
    await until(async () => (await states()).every((state) => SERVES.test(state)), {
      what: 'a cluster that serves',
    })
  } finally {
    for (const client of clients) client.close()
  }
}

/** Free ports, all different. */
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
