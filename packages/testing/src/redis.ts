import { testRedisCluster } from './redis-cluster.ts'
import { type TestRedisOptions, testRedisServer } from './redis-server.ts'
import type { TestServer } from './server.ts'

/** TEST_REDIS=cluster: whatever asks for a Redis gets a cluster of three nodes. */
const isCluster = process.env.TEST_REDIS === 'cluster'

/** A real, empty Redis that the caller has to itself, with the append-only file on. */
export const testRedis = (options: TestRedisOptions = {}): Promise<TestServer> =>
  isCluster ? clusterAsOne(options) : testRedisServer(options)

/** Everything at once; `port` and `pid` are those of the first node. */
async function clusterAsOne(options: TestRedisOptions): Promise<TestServer> {
  const { urls, nodes, close } = await testRedisCluster(options)
  const [first] = nodes
  if (!first) throw new Error('a cluster without nodes')
  return {
    url: urls.join(),
    port: first.port,
    pid: first.pid,
    kill9: async () => void (await Promise.all(nodes.map((node) => node.kill9()))),
    suspend: () => nodes.forEach((node) => void node.suspend()),
    resume: () => nodes.forEach((node) => void node.resume()),
    restart: async () => void (await Promise.all(nodes.map((node) => node.restart()))),
    close,
  }
}
