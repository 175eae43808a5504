import { testRedisCluster, untilClusterServes } from './redis-cluster.ts'
import { type TestRedisOptions, testRedisServer } from './redis-server.ts'
import type { TestServer } from './server.ts'

/** TEST_REDIS=cluster: whatever asks for a Redis gets a cluster of three nodes. */
const wantsCluster = (): boolean => process.env.TEST_REDIS === 'cluster'

/** Known when tests are loaded, for `test.skipIf`. */
export const isRedisCluster = wantsCluster()

/** The title of a test that needs one server; on a cluster `test.skipIf(isRedisCluster)` skips it. */
export const onOneServer = (title: string, why: string): string =>
  isRedisCluster ? `${title} (skipped on a cluster: ${why})` : title

/** A real, empty Redis that the caller has to itself, with the append-only file on. */
export const testRedis = (options: TestRedisOptions = {}): Promise<TestServer> =>
  wantsCluster() ? clusterAsOne(options) : testRedisServer(options)

/** Everything at once; `port` and `pid` are those of the first node. */
async function clusterAsOne(options: TestRedisOptions): Promise<TestServer> {
  const { urls, nodes, close } = await testRedisCluster(options)
  const [first] = nodes
  if (!first) throw new Error('a cluster without nodes')
  return {
    url: urls.join(),
    port: first.port,
    pid: first.pid,
    pids: () => nodes.flatMap((node) => node.pids()),
    kill9: async () => void (await Promise.all(nodes.map((node) => node.kill9()))),
    suspend: () => nodes.forEach((node) => void node.suspend()),
    resume: () => nodes.forEach((node) => void node.resume()),
    restart: async () => {
      await Promise.all(nodes.map((node) => node.restart()))
      // As of one server: when this resolves, it takes commands.
      await untilClusterServes(nodes)
    },
    close,
  }
}
