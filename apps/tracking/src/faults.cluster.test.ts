import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { shardOf } from '@palanquin/domain/ids'
import { type TestCluster, testRedisCluster } from '@palanquin/testing/redis-cluster'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { until } from '@palanquin/testing/until'
import { checkin, faultHarness, sync } from '../test/fault-harness.ts'
import { epochKey, pendingKey, pointsKey } from './buffer/keys.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)
const harness = faultHarness()
const NEVER = '0 0 1 1 *'
const PILGRIM = 'pilgrim'

let cluster: TestCluster
beforeAll(async () => {
  // However long the replica has been cut off, it may take over.
  const extraArgs = ['--cluster-replica-validity-factor', '0']
  cluster = await testRedisCluster({ withReplicas: true, extraArgs })
})
afterAll(() => cluster.close())

test('Redis Cluster: a replica takes over without the last writes of its master: they are replayed, once', async () => {
  const service = await harness.start({ REDIS_URL: cluster.urls.join(), FLUSH_SCHEDULE: NEVER })
  const { redis } = service
  await until(() => redis.isReady, { what: 'the cluster' })
  const epoch = epochKey(shardOf(PILGRIM))
  await until(async () => (await redis.get(epoch)) !== null, { what: 'a first look' })
  const holder = await redis.nodeOf(pointsKey(shardOf(PILGRIM)))
  const at = cluster.nodes.findIndex(({ port }) => holder.endsWith(`:${port}`))
  const [master, replica] = [cluster.nodes[at], cluster.replicas[at]]
  if (!master || !replica) throw new Error(`${holder} is no node of the cluster`)

  const pending = pendingKey(PILGRIM)
  const [control, follower] = [new Bun.RedisClient(master.url), new Bun.RedisClient(replica.url)]
  await follower.send('READONLY', [])
  const isKnown = async () => (await follower.send('EXISTS', [epoch])) === 1
  await until(isKnown, { what: 'the replica to know this epoch' })
  // The replica is not let in again.
  await control.send('CONFIG', ['SET', 'requirepass', 'for-new-connections'])
  await control.send('CLIENT', ['KILL', 'TYPE', 'replica'])
  for (let i = 0; i < 10; i++) expect((await checkin(service, PILGRIM, i)).status).toBe(202)
  expect((await sync(service, PILGRIM, 100)).status).toBe(200)
  await until(() => service.journal.stats().waiting === 0, { what: 'the master to have everything' })
  expect(await redis.lLen(pending)).toBe(10)
  expect(await follower.send('EXISTS', [pending])).toBe(0)
  control.close()
  follower.close()

  await master.kill9()
  await until(async () => (await redis.lLen(pending).catch(() => 0)) === 10, { what: 'the check-ins again' })
  expect(await redis.nodeOf(pending)).not.toBe(holder)
  expect(await harness.flushed(service)).toBe(110)
})
