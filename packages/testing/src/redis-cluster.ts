import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { newPort } from '@palanquin/embedded/port'
import { RedisClient } from 'bun'
import { type TestRedisOptions, testRedisServer } from './redis-server.ts'
import type { TestServer } from './server.ts'
import { until } from './until.ts'

const NODES = 3
/** Redis Cluster has so many slots; each node gets as many as the others. */
const SLOTS = 16_384

/** Longer than any stall of a machine: no node suspects another before a test wants it. */
const NODE_TIMEOUT_MS = '60000'
/** While a replica is to take over, a test waits for it. */
const FAILOVER_TIMEOUT_MS = '1000'
/** A bus port that was free when it was drawn may be taken when its node starts. */
const STARTS_MAX = 3

/** In what a node reports of its cluster. */
const SERVES = /cluster_state:ok/

/** `nodes` are the masters at the start; `replicas`, where they were asked for, in the same order. */
export type TestCluster = {
  urls: string[]
  /** Where there are replicas, `kill9` is `kill` with nothing meanwhile. */
  nodes: readonly TestServer[]
  replicas: readonly TestServer[]
  /** Kills a node; once `meanwhile` is done its replica may take over. */
  kill: (node: TestServer, meanwhile?: () => Promise<unknown>) => Promise<void>
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
  const started = await Promise.all(
    Array.from({ length: withReplicas ? 2 * NODES : NODES }, (_, node) =>
      startNode({
        ...options,
        ...(folder === undefined ? {} : { folder: nodeFolderOf(folder, node) }),
        extraArgs: ['--cluster-node-timeout', NODE_TIMEOUT_MS, ...extraArgs],
      }),
    ),
  )
  const servers = started.map(({ server }) => server)
  await unite(
    servers,
    started.map(({ bus }) => bus),
  )
  const kill: TestCluster['kill'] = (victim, meanwhile) => {
    // One of `nodes` would be replaced at its `kill9`, before `meanwhile`.
    const node = servers.find(({ port }) => port === victim.port) ?? victim
    return killOne({ node, others: servers.filter((server) => server !== node), meanwhile })
  }
  const masters = servers.slice(0, NODES)
  return {
    urls: servers.map(({ url }) => url),
    nodes: withReplicas ? masters.map((node) => ({ ...node, kill9: () => kill(node) })) : masters,
    replicas: servers.slice(NODES),
    kill,
    close: async () => {
      await Promise.all(servers.map((server) => server.close()))
    },
  }
}

async function startNode(options: TestRedisOptions): Promise<{ server: TestServer; bus: number }> {
  for (let starts = 1; ; starts++) {
    // By itself the bus is 10,000 above the port, and that may be more than a port can be.
    const bus = (await newPort()) ?? 0
    const settings = [
      ...['--cluster-enabled', 'yes', '--cluster-port', `${bus}`, '--cluster-announce-ip', '127.0.0.1'],
      ...['--repl-diskless-sync-delay', '0'],
    ]
    try {
      const extraArgs = [...settings, ...(options.extraArgs ?? [])]
      return { server: await testRedisServer({ ...options, extraArgs }), bus }
    } catch (error) {
      if (starts === STARTS_MAX) throw error
    }
  }
}

type Kill = {
  node: TestServer
  others: readonly TestServer[]
  meanwhile?: (() => Promise<unknown>) | undefined
}

async function killOne({ node, others, meanwhile = async () => {} }: Kill): Promise<void> {
  const ask = (server: TestServer, ...command: [string, ...string[]]): Promise<unknown> => {
    const [name, ...args] = command
    const client = new RedisClient(server.url)
    return client.send(name, args).finally(() => client.close())
  }
  const mastersLeft = async () => {
    const roles = await Promise.all(others.map((server) => ask(server, 'ROLE')))
    return roles.filter((role) => Array.isArray(role) && role[0] === 'master').length
  }
  const suspectAfter = (ms: string) =>
    Promise.all(others.map((server) => ask(server, 'CONFIG', 'SET', 'cluster-node-timeout', ms)))

  const isMaster = (await mastersLeft()) < NODES
  await node.kill9()
  await meanwhile()
  if (!isMaster) return
  await suspectAfter(FAILOVER_TIMEOUT_MS)
  await until(async () => (await mastersLeft()) === NODES, { what: 'a replica to take over' })
  await untilClusterServes(others)
  await suspectAfter(NODE_TIMEOUT_MS)
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

/** Resolves when nodes that were started again take commands. */
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
