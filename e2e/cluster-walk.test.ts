import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { type LineStub, testLine } from '@palanquin/line-simulator/stub'
import { startThrowawayStack, type ThrowawayStack } from '@palanquin/stack/testing/throwaway-stack'
import { auditPoints, NOTHING_WRONG } from '@palanquin/testing/faults/audit'
import { ledger, outcomeOf, pointKey } from '@palanquin/testing/faults/ledger'
import { type TestCluster, testRedisCluster } from '@palanquin/testing/redis-cluster'
import { searchRedis } from '@palanquin/testing/search'
import type { TestServer } from '@palanquin/testing/server'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { until } from '@palanquin/testing/until'

setDefaultTimeout(TEST_TIMEOUT_MS)

/** Enough that each of the three nodes holds the shards of some. */
const PARTICIPANTS = Array.from({ length: 24 }, (_, at) => `Ucluster${at}`)
const MINUTE_MS = 60_000
/** Lanes of check-ins while a node is away. */
const LANES = 4

let cluster: TestCluster
let line: LineStub
let stack: ThrowawayStack
const book = ledger()
beforeAll(async () => {
  cluster = await testRedisCluster({ withReplicas: true })
  line = testLine()
  stack = await startThrowawayStack({
    ...line.environment,
    REDIS_URL: cluster.urls.join(),
    COPIES: '2',
    PUBLIC_BASE_URL: 'https://walk.example',
    PUSH_SCHEDULE: '* * * * * *',
  })
})
afterAll(async () => {
  await stack.close()
  await Promise.all([cluster.close(), line.close()])
})

const owner = () => stack.api.as('owner')

async function checkin(userId: string, lat: number): Promise<number> {
  const recordedAt = Date.now()
  const { status } = await stack.api.post('/checkin', { userId, lat, lng: 120.7, recordedAt })
  book.note(pointKey({ userId, kind: 'checkin', recordedAt }), outcomeOf(status))
  return status
}

async function sync(userId: string): Promise<number> {
  const begunAt = Date.now() - 30 * MINUTE_MS
  const points = Array.from({ length: 5 }, (_, at) => ({
    lat: 24.2 + at / 1_000,
    lng: 120.6,
    recordedAt: begunAt + at * MINUTE_MS,
  }))
  const { status } = await stack.api.post('/track/sync', { userId, points })
  for (const { recordedAt } of points)
    book.note(pointKey({ userId, kind: 'track', recordedAt }), outcomeOf(status))
  return status
}

/** Every acknowledged point is stored once, with its effects. */
async function expectWhole(): Promise<void> {
  let found = {}
  const isWhole = async () => {
    await stack.api.flush()
    const { acknowledged: _, indeterminate: __, ...faults } = await auditPoints(stack.sql, book)
    found = faults
    return Bun.deepEquals(faults, NOTHING_WRONG)
  }
  await until(isWhole, { what: 'everything to be stored' }).catch(() => undefined) // the next line says what is missing
  expect(found).toEqual(NOTHING_WRONG)
}

/** Reads the map's event stream until it names a participant. */
async function streamUntil(userId: string, meanwhile: () => Promise<unknown>): Promise<string> {
  const answer = await fetch(`${stack.api.base}/data/stream`, {
    ...owner(),
    tls: { ca: readFileSync(stack.running().caFile, 'utf8') },
  })
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader()
  if (!reader) throw new Error('an event stream without a body')
  let text = (await reader.read()).value ?? ''
  await meanwhile()
  while (!text.includes(userId)) {
    const { done, value } = await reader.read()
    if (done) break
    text += value
  }
  await reader.cancel()
  return text
}

test('a whole pilgrimage, with two copies of every service on a cluster of three nodes', async () => {
  for (const userId of PARTICIPANTS) await stack.api.post('/privacy', { userId, consent: true })
  expect(await Promise.all(PARTICIPANTS.map((userId, at) => checkin(userId, 24 + at / 100)))).toEqual(
    PARTICIPANTS.map(() => 202),
  )
  expect(await Promise.all(PARTICIPANTS.map(sync))).toEqual(PARTICIPANTS.map(() => 200))
  await expectWhole()
  for (const userId of PARTICIPANTS) {
    const { checkins, walkedKm } = await stack.api.profile(userId)
    expect({ userId, checkins, walks: walkedKm > 0 }).toEqual({ userId, checkins: 1, walks: true })
  }
  await until(async () => (await stack.api.onTheMap()) === PARTICIPANTS.length, {
    what: 'everybody on the map',
  })
  expect(await streamUntil('Ulate', () => checkin('Ulate', 25))).toContain('Ulate')
})

test('limits are exact, a push arrives once, and no node keeps the name of an erased participant', async () => {
  const statuses = []
  for (let at = 0; at < 6; at++) statuses.push(await checkin('Ueager', 24 + at / 100))
  expect(statuses).toEqual([202, 202, 202, 202, 202, 429])

  const { userId } = line.control.people.add({ displayName: '香客' })
  await stack.api.post('/user/sync', { userId, displayName: '香客' })
  const push = await stack.api.post('/push', { to: { userIds: [userId] }, text: '平安' }, owner())
  expect(push.status).toBeLessThan(300)
  await until(() => line.control.deliveries.received(userId).length > 0, { what: 'the push' })
  expect(line.control.deliveries.received(userId)).toHaveLength(1)

  expect((await stack.api.post('/checkin', { userId, lat: 24.4, lng: 120.7 })).status).toBe(202)
  await until(async () => (await stack.api.profile(userId)).checkins === 1, { what: 'the check-in' })
  expect(await namedOn(userId)).not.toEqual([])
  expect((await stack.api.delete(`/user/${userId}`, owner())).status).toBe(200)
  expect((await stack.api.get(`/user/${userId}`)).status).toBe(404)
  await until(async () => (await namedOn(userId)).length === 0, { what: 'replicas to forget too' })
})

test('a master is killed -9, its replica takes over, it comes back: nothing acknowledged is lost', async () => {
  const victim = await aMaster()
  let going = true
  const statuses = new Set<number>()
  const lanes = Array.from({ length: LANES }, async (_, lane) => {
    for (let at = 0; going; at++) {
      const userId = `Ulane${lane}-${at}`
      statuses.add(await checkin(userId, 24 + at / 1_000))
      await sync(userId)
    }
  })
  const isWell = async () => (await stack.api.health()).kv === 'ok'
  await cluster.kill(victim, () => until(async () => !(await isWell()), { what: 'the loss to be seen' }))
  await until(isWell, { what: 'the replica to have taken over' })
  await victim.restart()
  await until(async () => (await roleOf(victim.url)) === 'slave', { what: 'the dead one as a replica' })
  going = false
  await Promise.all(lanes)
  expect([...statuses]).toEqual([202])
  await expectWhole()
})

/** The nodes of the cluster that hold a participant's name. */
const namedOn = (userId: string): Promise<string[]> =>
  searchRedis([...cluster.nodes, ...cluster.replicas].map(({ url }) => url).join(), [userId])

async function aMaster(): Promise<TestServer> {
  for (const node of [...cluster.nodes, ...cluster.replicas])
    if ((await roleOf(node.url)) === 'master') return node
  throw new Error('a cluster without a master')
}

async function roleOf(url: string): Promise<unknown> {
  const node = new Bun.RedisClient(url)
  const role: unknown = await node.send('ROLE', []).finally(() => node.close())
  return Array.isArray(role) ? role[0] : role
}
