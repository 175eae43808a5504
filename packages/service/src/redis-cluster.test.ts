import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { type TestCluster, testRedisCluster } from '@palanquin/testing/redis-cluster'
import { settlesBefore } from '@palanquin/testing/settles-before'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { until } from '@palanquin/testing/until'
import { createLog } from './log.ts'
import { connectRedis, type Redis, untilThere } from './redis.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)
/** Those of stack/settings/redis-users.ts, and what a cluster wants besides (docs/capacity.md). */
const RIGHTS =
  '~* -@all +@read +@write +@connection +@transaction -@dangerous +eval +cluster|slots +acl|whoami'
const KEYS = Array.from({ length: 32 }, (_, at) => `key-${at}`)

let cluster: TestCluster
const opened: Redis[] = []
const connect = (url = cluster.urls.join()): Redis => {
  const redis = connectRedis({ url, name: 'test', log: createLog({ service: 'test', level: 'silent' }) })
  opened.push(redis)
  return redis
}
const whole = (redis: Redis) => until(() => redis.isReady, { what: 'a connection to every node' })
beforeAll(async () => {
  cluster = await testRedisCluster({ withReplicas: true })
})
afterAll(async () => {
  for (const redis of opened) redis.destroy()
  await cluster.close()
})

test('commands, scripts, scans and streams go to where their keys are', async () => {
  const redis = connect()
  await expect(redis.get('too-early')).rejects.toThrow()
  await whole(redis)
  await Promise.all(KEYS.map((key) => redis.set(key, key)))
  expect(await redis.mGet(KEYS)).toEqual(KEYS)
  expect(await redis.send('key-1', ['EVAL', "return redis.call('GET', KEYS[1])", '1', 'key-1'])).toBe('key-1')
  const scanned = new Set<string>()
  let cursor = '0'
  do {
    const page = await redis.scan(cursor, { MATCH: 'key-*' })
    for (const key of page.keys) scanned.add(key)
    cursor = page.cursor
  } while (cursor !== '0')
  expect([...scanned].sort()).toEqual([...KEYS].sort())

  const spread = await redis.onePerNode(KEYS)
  expect(spread).toHaveLength(3)
  expect(new Set(await Promise.all(spread.map((key) => redis.nodeOf(key)))).size).toBe(3)
  const streams = spread.map((key) => ({ key: `{${key}}:stream`, id: '0-0' }))
  for (const { key } of streams) await redis.xAdd(key, '*', { of: key })
  const read = await redis.readStreams(streams, { count: 10 })
  expect(read.map(({ key, entries }) => [key, entries[0]?.message.of])).toEqual(
    streams.map(({ key }) => [key, key]),
  )
})

test('who begins waits for the first connection, and after its time goes on without', async () => {
  const redis = connect()
  await untilThere(redis, 30_000)
  expect(redis.isReady).toBe(true)
  const unreachable = connect('redis://127.0.0.1:1')
  await untilThere(unreachable, 20)
  expect(unreachable.isReady).toBe(false)
})

test('a reader that waits receives an entry that comes meanwhile', async () => {
  const redis = connect()
  await whole(redis)
  const streams = KEYS.map((key) => ({ key: `{${key}}:waited`, id: '0-0' }))
  const reading = redis.readStreams(streams, { count: 10, waitMs: 30_000 })
  await redis.xAdd('{key-7}:waited', '*', { some: 'body' })
  expect(await reading).toMatchObject([{ key: '{key-7}:waited', entries: [{ message: { some: 'body' } }] }])
  expect(await redis.readStreams([{ key: 'missing', id: '0-0' }], { count: 1, waitMs: 1 })).toEqual([])
})

test('the user of the first address is used at every node, and a wrong password is never ready', async () => {
  for (const { url } of [...cluster.nodes, ...cluster.replicas]) {
    const node = new Bun.RedisClient(url)
    await node.send('ACL', ['SETUSER', 'participant', 'on', '>p@ss', ...RIGHTS.split(' ')])
    node.close()
  }
  const addresses = cluster.urls.map((url) => new URL(url).host).join()
  const redis = connect(`redis://participant:p%40ss@${addresses}`)
  await whole(redis)
  const [spread, wrong] = [await redis.onePerNode(KEYS), connect(`redis://participant:other@${addresses}`)]
  for (const key of spread) expect(await redis.send(key, ['ACL', 'WHOAMI'])).toBe('participant')
  await expect(wrong.ping()).rejects.toThrow()
  expect(wrong.isReady).toBe(false)
})

test('a master that dies: its keys fail at once, and its replica takes over', async () => {
  const redis = connect()
  await whole(redis)
  let backs = 0
  redis.on('ready', () => backs++)
  const [key = ''] = KEYS
  const before = await redis.nodeOf(key)
  await redis.set(key, 'kept')
  const isCopied = async () => Number(await redis.send(key, ['WAIT', '1', '1000'])) === 1
  await until(isCopied, { what: 'the replica to have it' })
  const victim = [...cluster.nodes, ...cluster.replicas].find(({ port }) => before.endsWith(`:${port}`))
  if (!victim) throw new Error(`${before} is no node of the cluster`)
  await cluster.kill(victim, async () => {
    await until(() => !redis.isReady, { what: 'the loss to be seen' })
    const asked = redis.get(key)
    expect(await settlesBefore(asked, 1_000)).toBe(true)
    await expect(asked).rejects.toThrow()
    await expect(redis.ping()).rejects.toThrow()
  })

  const late = connect()
  await whole(redis)
  await whole(late)
  const again = async () => (await redis.get(key)) === 'kept' && (await late.get(key)) === 'kept'
  await until(() => again().catch(() => false), { what: 'the replica to serve' })
  expect(await redis.nodeOf(key)).not.toBe(before)
  await until(() => backs > 0, { what: 'the client says that it is back' })
})
