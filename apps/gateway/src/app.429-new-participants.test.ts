import { beforeAll, beforeEach, expect, spyOn, test } from 'bun:test'
import { until } from '@palanquin/testing/until'
import { type GatewayInstance, type GatewayOptions, json } from '../test/gateway.ts'
import { COUNTED_TOGETHER, useGateway } from '../test/use-gateway.ts'

const LIMIT = 6
const env = { NEW_PARTICIPANT_LIMIT: String(LIMIT) }

let a: GatewayInstance
const deployment = useGateway({ ...COUNTED_TOGETHER, env })
beforeAll(async () => {
  a = deployment.gateway
})
beforeEach(async () => {
  deployment.services.tracking.unregistered((userId) => userId.startsWith('new-'))
  await a.redis.flushAll()
})

let users = 0
const newUserId = () => `new-${users++}`
const WRITES: Record<string, (userId: string) => RequestInit> = {
  '/checkin': (userId) => json({ userId, lat: 24, lng: 120 }),
  '/track/sync': (userId) => json({ userId, points: [{}] }),
  '/user/sync': (userId) => json({ user_id: userId }),
  '/user/phone': (userId) => json({ userId, phone: null }),
  '/privacy': (userId) => json({ userId, consent: true }),
  '/participant-status': (userId) => json({ userId, status: 'active' }),
  '/submit': (userId) => json({ userId }),
  '/survey': (userId) => json({ userId }),
  '/feedback': (userId) => json({ userId, message: 'm' }),
}
const write = (path: string, userId: string, gateway = a): Promise<Response> =>
  gateway.call(`/api/event${path}`, WRITES[path]?.(userId))
const statusOf = async (...call: Parameters<typeof write>): Promise<number> => (await write(...call)).status
/** A network that no test before has used: two gateways with a memory of their own of what it brought. */
const freshGateways = async (options: GatewayOptions = COUNTED_TOGETHER) => {
  const own = {
    ...options,
    env: { ...env, INTERNAL_TOKEN: `internal-token-of-network-${users++}`.padEnd(32, 'x') },
  }
  return [await deployment.addGateway(own), await deployment.addGateway(own)] as const
}

test('the limit of new participants is admitted over all routes and gateways, and the next is 429', async () => {
  const [c, d] = await freshGateways()
  const paths = Object.keys(WRITES)
  const statuses = []
  for (const [at, path] of paths.entries()) statuses.push(await statusOf(path, newUserId(), at % 2 ? c : d))
  expect(statuses).toEqual([200, 200, 200, 200, 200, 200, 429, 429, 429])
  for (const path of paths) {
    const refused = await write(path, newUserId(), c)
    expect(refused.status).toBe(429)
    expect(Number(refused.headers.get('retry-after'))).toBeWithin(3_000, 3_601)
    expect(await refused.json()).toMatchObject({ error: expect.stringContaining('new participants') })
    expect(await statusOf(path, 'takes-part', d)).toBe(200)
  }
})

test('an admitted participant goes on, at every gateway, also when Redis comes back empty', async () => {
  const [c, d] = await freshGateways()
  const admitted = Array.from({ length: LIMIT }, newUserId)
  for (const userId of admitted) expect(await statusOf('/checkin', userId, c)).toBe(200)
  expect(await statusOf('/checkin', newUserId(), c)).toBe(429)
  await c.redis.flushAll()
  for (const userId of admitted) expect(await statusOf('/checkin', userId, c)).toBe(200)
  deployment.services.tracking.unregistered((userId) => !admitted.includes(userId))
  for (const userId of admitted) expect(await statusOf('/privacy', userId, d)).toBe(200)
})

test('known participants behind one address are never refused: they take no place', async () => {
  const [c, d] = await freshGateways()
  for (let i = 0; i < 10 * LIMIT; i++)
    expect(await statusOf('/checkin', `villager-${i}`, i % 2 ? c : d)).toBe(200)
  expect(await statusOf('/checkin', newUserId(), c)).toBe(200)
})

test('a call that its service rejected takes no place; one that may have taken effect does', async () => {
  const [c] = await freshGateways()
  const { tracking, engagement } = deployment.services
  tracking.replyWith(() => Response.json({ error: 'no' }, { status: 400 }))
  for (let i = 0; i < 3 * LIMIT; i++) expect(await statusOf('/checkin', newUserId(), c)).toBe(400)
  engagement.replyWith(() => Response.json({ error: 'no answer' }, { status: 504 }))
  for (let i = 0; i < LIMIT; i++) expect(await statusOf('/user/sync', newUserId(), c)).toBe(504)
  expect(await statusOf('/user/sync', newUserId(), c)).toBe(429)
})

test('calls at the same time for one new participant share one place, and keep it if one is accepted', async () => {
  const [c] = await freshGateways()
  let calls = 0
  deployment.services.engagement.replyWith(() =>
    Response.json({ ok: true }, { status: calls++ % 2 ? 200 : 400 }),
  )
  for (let i = 0; i < LIMIT; i++) {
    const userId = newUserId()
    const statuses = await Promise.all(['/privacy', '/user/sync'].map((path) => statusOf(path, userId, c)))
    expect(statuses.toSorted()).toEqual([200, 400])
  }
  expect(await statusOf('/privacy', newUserId(), c)).toBe(429)
})

test('the other rules apply first, and their places are given back when this one refuses', async () => {
  const [c] = await freshGateways()
  for (let i = 0; i < LIMIT; i++) expect(await statusOf('/privacy', newUserId(), c)).toBe(200)
  const userId = newUserId()
  for (let i = 0; i < 10; i++)
    expect((await write('/checkin', userId, c)).headers.get('ratelimit-limit')).toBe('6')
  deployment.services.tracking.unregistered(() => false)
  const taken = await write('/checkin', userId, c)
  expect([taken.status, taken.headers.get('ratelimit-remaining')]).toEqual([200, '4'])
})

test('while tracking does not answer who is known, none is refused, and only one call waits for it', async () => {
  const { redis } = COUNTED_TOGETHER.limitsDeadlinesMs
  const [c] = await freshGateways({ limitsDeadlinesMs: { redis } })
  const { tracking } = deployment.services
  tracking.unregistered(undefined)
  const before = tracking.asked()
  for (let i = 0; i < 3 * LIMIT; i++) expect(await statusOf('/privacy', newUserId(), c)).toBe(200)
  expect(tracking.asked() - before).toBeLessThan(3 * LIMIT)
  tracking.unregistered(() => true)
  await until(async () => (await statusOf('/privacy', newUserId(), c)) === 429, {
    what: 'they are counted again',
  })
})

test('while Redis is away each gateway counts by itself', async () => {
  const { tracking } = COUNTED_TOGETHER.limitsDeadlinesMs
  const [c, d] = await freshGateways({ limitsDeadlinesMs: { tracking } })
  deployment.redis.suspend()
  try {
    const statuses = []
    for (let i = 0; i < 4 * LIMIT; i++) statuses.push(await statusOf('/privacy', newUserId(), i % 2 ? c : d))
    expect(statuses.filter((status) => status === 200).length).toBeWithin(LIMIT, 2 * LIMIT + 1)
  } finally {
    deployment.redis.resume()
  }
})

test('a check-in of a seen participant costs Redis one command and tracking no call', async () => {
  const { tracking } = deployment.services
  await until(() => countsThroughRedis(a), { what: 'the gateway counts through Redis, which was suspended' })
  let attempts = 0
  /** What four check-ins came to; on a busy machine Redis may be late for one, which is then counted without it. */
  const fourCheckins = async () => {
    const userId = `seen-before-${attempts++}`
    await write('/checkin', userId)
    const asked = tracking.asked()
    const sent = spyOn(a.redis, 'send')
    const statuses = []
    for (let i = 0; i < 4; i++) statuses.push(await statusOf('/checkin', userId))
    const commands = sent.mock.calls.length
    sent.mockRestore()
    return { statuses, commands, questions: tracking.asked() - asked }
  }
  const wanted = { statuses: [200, 200, 200, 200], commands: 4, questions: 0 }
  await until(async () => Bun.deepEquals(await fourCheckins(), wanted), {
    what: 'four commands for four check-ins, and no question',
  })
})

/** A gateway for which Redis was away keeps limits to itself until a probe in the background has come back. */
async function countsThroughRedis({ redis }: GatewayInstance): Promise<boolean> {
  await redis.flushAll()
  await write('/privacy', 'takes-part')
  return (await redis.keys('rl:{*')).some((key) => key !== 'rl:{limits}:probe')
}
