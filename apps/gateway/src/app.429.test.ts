import { beforeAll, expect, describe as group, test } from 'bun:test'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { type GatewayInstance, json, TOKENS } from '../test/gateway.ts'
import { signIn } from '../test/sign-in.ts'
import { COUNTED_TOGETHER, useGateway } from '../test/use-gateway.ts'

/** Two gateways over one Redis, as two processes are. */
let a: GatewayInstance
let b: GatewayInstance

const ADDRESS_LIMITS = { PUBLIC_WRITE_LIMIT: '40', PUBLIC_READ_LIMIT: '50' }

const deployment = useGateway({ ...COUNTED_TOGETHER, env: ADDRESS_LIMITS })
beforeAll(async () => {
  a = deployment.gateway
  b = await deployment.addGateway({ ...COUNTED_TOGETHER, env: ADDRESS_LIMITS })
})

/** Statuses of so many calls at once, at both gateways by turns. */
const callTimes = async (
  count: number,
  path: string,
  init: RequestInit,
  [one, other] = [a, b],
): Promise<Record<number, number>> => {
  const calls = Array.from({ length: count }, (_, i) => (i % 2 === 0 ? one : other).call(path, init))
  const statuses: Record<number, number> = {}
  for (const { status } of await Promise.all(calls)) statuses[status] = (statuses[status] ?? 0) + 1
  return statuses
}
const admin = (token: string) => ({ headers: { 'x-admin-token': token } })

group('by user', () => {
  test('5 check-ins pass, from two gateways at once too, and the sixth is 429', async () => {
    expect(await callTimes(20, '/api/event/checkin', json({ userId: 'U1' }))).toEqual({ 200: 5, 429: 15 })
    const refused = await a.call('/api/event/checkin', json({ user_id: 'U1' }))
    expect(refused.status).toBe(429)
    expect(Number(refused.headers.get('retry-after'))).toBeWithin(1, 61)
    expect(refused.headers.get('ratelimit-limit')).toBe('5')
    expect(refused.headers.get('ratelimit-remaining')).toBe('0')
    expect(await refused.json()).toMatchObject({ error: expect.stringContaining('Too many requests') })
    expect((await a.call('/api/event/checkin', json({ userId: 'U2' }))).status).toBe(200)
  })

  test('syncs have their own window', async () => {
    expect(await callTimes(30, '/api/event/track/sync', json({ userId: 'U1' }))).toEqual({ 200: 10, 429: 20 })
  })

  test('submit and its alias are counted together', async () => {
    const answers = await Promise.all([
      a.call('/api/event/submit', json({ userId: 'U1' })),
      b.call('/api/event/survey', json({ userId: 'U1' })),
    ])
    expect(answers.map(({ status }) => status)).toEqual([200, 200])
    const refused = await b.call('/api/event/submit', json({ userId: 'U1' }))
    expect(refused.status).toBe(429)
    expect(Number(refused.headers.get('retry-after'))).toBeWithin(500, 601)
  })

  test('a request that is rejected before the limit does not count', async () => {
    const bad = [
      { ...json({ userId: 'U9' }), body: '{' },
      json({ userId: 'a b' }),
      json({ userId: 'U9' }, { 'content-encoding': 'gzip' }),
      { ...json({}), body: new Uint8Array(102_401) },
    ]
    for (const init of bad) for (let i = 0; i < 3; i++) await a.call('/api/event/checkin', init)
    expect(await callTimes(6, '/api/event/checkin', json({ userId: 'U9' }))).toEqual({ 200: 5, 429: 1 })
  })

  test('a response that failed after the limit has its headers all the same', async () => {
    deployment.services.tracking.replyWith(() => Response.json({ error: 'paused' }, { status: 403 }))
    const answer = await a.call('/api/event/checkin', json({ userId: 'U10' }))
    expect([answer.status, answer.headers.get('ratelimit-remaining')]).toEqual([403, '4'])
    deployment.services.tracking.replyWith(() => Response.json({ ok: true }))
  })
})

group('by the address, besides', () => {
  test('a survey counts as any other public write', async () => {
    const other = await deployment.addGateway({
      ...COUNTED_TOGETHER,
      env: { PUBLIC_WRITE_LIMIT: '3', INTERNAL_TOKEN: 'y'.repeat(32) },
    })
    const submit = (user: number, path = '/submit') =>
      other.call(`/api/event${path}`, json({ userId: `Usurvey${user}` }))
    expect(
      (await Promise.all([submit(1), submit(2), submit(3, '/survey')])).map(({ status }) => status),
    ).toEqual([200, 200, 200])
    const refused = await submit(4)
    expect([refused.status, refused.headers.get('ratelimit-limit')]).toEqual([429, '3'])
  })

  test('reports of lost and found have an hourly limit of their own, over all gateways', async () => {
    const env = { LOST_LIMIT: '3', INTERNAL_TOKEN: 'l'.repeat(32) }
    const pair = [
      await deployment.addGateway({ ...COUNTED_TOGETHER, env }),
      await deployment.addGateway({ ...COUNTED_TOGETHER, env }),
    ] as const
    const statuses = await Promise.all(
      Array.from(
        { length: 9 },
        async (_, at) => (await pair[at % 2 ? 1 : 0].call('/api/event/lost', json({}))).status,
      ),
    )
    expect(statuses.toSorted()).toEqual([...Array(3).fill(200), ...Array(6).fill(429)])
    const refused = await pair[0].call('/api/event/lost', json({}))
    expect(await refused.json()).toMatchObject({ error: expect.stringContaining('please call 119 or 110') })
    expect(Number(refused.headers.get('retry-after'))).toBeWithin(3_000, 3_601)
    expect((await pair[0].call('/api/event/feedback', json({ message: 'm' }))).status).toBe(200)
    // Whoever is signed in is counted by themselves.
    const { asPage } = await signIn(pair[0], { device: true })
    const signedIn = () => callTimes(5, '/api/event/lost', json({}, asPage), [pair[0], pair[0]])
    expect(await signedIn()).toEqual({ 200: 3, 429: 2 })
    expect((await pair[0].call('/api/event/lost', json({}))).status).toBe(429)
  })

  test('searches for people have an hourly limit of each administrator, over all gateways', async () => {
    const env = { FIND_LIMIT: '3', INTERNAL_TOKEN: 'f'.repeat(32) }
    const pair = [
      await deployment.addGateway({ ...COUNTED_TOGETHER, env }),
      await deployment.addGateway({ ...COUNTED_TOGETHER, env }),
    ] as const
    const find = (at: number, token: string) =>
      pair[at % 2 ? 1 : 0].call('/api/event/admin/find?q=x&reason=y', { headers: { 'x-admin-token': token } })
    const statuses = await Promise.all(
      Array.from({ length: 9 }, async (_, at) => (await find(at, TOKENS.volunteer)).status),
    )
    expect(statuses.toSorted()).toEqual([...Array(3).fill(200), ...Array(6).fill(429)])
    const refused = await find(0, TOKENS.volunteer)
    expect(await refused.json()).toMatchObject({ error: expect.stringContaining('Too many searches') })
    expect(Number(refused.headers.get('retry-after'))).toBeWithin(3_000, 3_601)
    expect((await find(0, TOKENS.manager)).status).toBe(200)
    const other = { headers: { 'x-admin-token': TOKENS.volunteer } }
    expect((await pair[0].call('/api/event/admin/status', other)).status).toBe(200)
  })

  test('feedback and surveys store 20 MB a day of an address, and rejected ones count nothing', async () => {
    const env = { PUBLIC_WRITE_LIMIT: '100000', INTERNAL_TOKEN: 'v'.repeat(32) }
    const pair = [
      await deployment.addGateway({ ...COUNTED_TOGETHER, env }),
      await deployment.addGateway({ ...COUNTED_TOGETHER, env }),
    ] as const
    const write = (index: number, path = '/feedback') =>
      pair[index % 2 ? 1 : 0].call(`/api/event${path}`, json({ message: 'x'.repeat(99_986) }))
    deployment.services.engagement.replyWith(() => Response.json({ error: 'no' }, { status: 400 }))
    for (let i = 0; i < 20; i++) expect((await write(i)).status).toBe(400)
    deployment.services.engagement.replyWith(() => Response.json({ ok: true }))
    for (let i = 0; i < 200; i++) expect((await write(i)).status).toBe(200)
    const refused = await write(0)
    expect([refused.status, refused.headers.get('ratelimit-limit')]).toEqual([429, '20000000'])
    expect(Number(refused.headers.get('retry-after'))).toBeWithin(86_000, 86_401)
    expect(await refused.json()).toMatchObject({ error: expect.stringContaining('Too much text') })
    const survey = { ...json({}), body: JSON.stringify({ userId: 'U5', answers: 'x'.repeat(900) }) }
    expect((await pair[0].call('/api/event/submit', survey)).status).toBe(429)
    expect((await pair[0].call('/api/event/privacy', json({ userId: 'U5' }))).status).toBe(200)
  })

  test('maps with a box, a limit or a token are counted, and changes since a cursor are not', async () => {
    const other = await deployment.addGateway({
      ...COUNTED_TOGETHER,
      env: { MAP_QUERY_LIMIT: '4', INTERNAL_TOKEN: 'z'.repeat(32) },
    })
    const statusOf = async (query: string, init = {}) =>
      (await other.call(`/api/event/data${query}`, init)).status
    const plain = ['', '?format=columns', '?since=abc', '?since=abc&format=geojson', '?made=up']
    for (const query of [...plain, ...plain]) expect(await statusOf(query)).toBe(200)
    const own = ['?bbox=1,2,3,4', '?limit=10', '?since=abc&bbox=1,2,3,4']
    for (const query of own) expect(await statusOf(query)).toBe(200)
    expect(await statusOf('?limit=9')).toBe(200)
    for (const query of own) expect(await statusOf(query)).toBe(429)
    // Each token has its own.
    for (const token of [TOKENS.owner, TOKENS.manager]) {
      for (let i = 0; i < 4; i++) expect(await statusOf('', admin(token))).toBe(200)
      expect(await statusOf('', admin(token))).toBe(429)
    }
    for (const query of plain) expect(await statusOf(query)).toBe(200)
    expect((await other.call('/api/event/auth/role', admin(TOKENS.manager))).status).toBe(200)
  })
})

group('by token', () => {
  test('30 admin calls a minute over all routes, for each token by itself; a low tier or a bad body does not count', async () => {
    for (let i = 0; i < 5; i++) {
      expect(
        (await a.call('/api/event/admin/status', { method: 'PUT', ...admin(TOKENS.volunteer) })).status,
      ).toBe(403)
    }
    expect(await callTimes(20, '/api/event/auth/role', admin(TOKENS.volunteer))).toEqual({ 200: 20 })
    expect(await callTimes(20, '/api/event/admin/status', admin(TOKENS.volunteer))).toEqual({
      200: 10,
      429: 10,
    })
    expect((await a.call('/api/event/auth/role', admin(TOKENS.manager))).status).toBe(200)
    const data = await b.call('/api/event/data', admin(TOKENS.volunteer))
    expect([data.status, data.headers.get('ratelimit-limit')]).toEqual([429, '30'])
  })

  test('a wrong token is 401 sixty times, then 429; a right one and a missing one never', async () => {
    expect(await callTimes(10, '/api/event/auth/role', {})).toEqual({ 401: 10 })
    expect(await callTimes(80, '/api/event/auth/role', admin('wrong'))).toEqual({ 401: 60, 429: 20 })
    expect((await b.call('/api/event/auth/role', admin(TOKENS.owner))).status).toBe(200)
    expect(await callTimes(10, '/api/event/auth/role', {})).toEqual({ 401: 10 })
    expect(
      (await b.call('/api/event/checkin', json({ userId: 'U11' }, { 'x-admin-token': 'wrong' }))).status,
    ).toBe(200)
  })
})

group('by address', () => {
  test('30 writes of a user on each route; refused ones give the address its place back', async () => {
    // They count apart from those of the other tests.
    const env = { ...ADDRESS_LIMITS, INTERNAL_TOKEN: 'w'.repeat(32) }
    const one = await deployment.addGateway({ ...COUNTED_TOGETHER, env })
    const other = await deployment.addGateway({ ...COUNTED_TOGETHER, env })
    const survey = json({ userId: 'U2' })
    expect(await callTimes(2, '/api/event/submit', survey, [one, other])).toEqual({ 200: 2 })
    const privacy = json({ userId: 'U1' })
    expect(await callTimes(36, '/api/event/privacy', privacy, [one, other])).toEqual({ 200: 30, 429: 6 })
    expect((await one.call('/api/event/user/phone', json({ userId: 'U1' }))).status).toBe(200)
    // 33 of the address's 40 places are taken.
    const others = await Promise.all(
      Array.from({ length: 12 }, (_, i) => one.call('/api/event/user/sync', json({ userId: `other-${i}` }))),
    )
    expect(others.filter(({ status }) => status === 200)).toHaveLength(7)
    expect(others.find(({ status }) => status === 429)?.headers.get('ratelimit-limit')).toBe('40')
  })

  test('never rejects a check-in or a sync', async () => {
    // Twice 30, and not 60 at once: of those that come in one tick a gateway of this size lets 48 in.
    for (const row of ['front', 'back']) {
      const users = Array.from({ length: 30 }, (_, i) => `${row}-${i}`)
      const answers = await Promise.all(users.map((userId) => a.call('/api/event/checkin', json({ userId }))))
      expect(answers.map(({ status }) => status).filter((status) => status !== 200)).toEqual([])
    }
  })

  test('reads are counted over all routes', async () => {
    expect(await callTimes(30, '/api/event/data', {})).toEqual({ 200: 30 })
    expect(await callTimes(30, '/api/event/user/U1', {})).toEqual({ 200: 20, 429: 10 })
  })
})

group('what the gateway says itself', () => {
  test('counts with the public reads of the address: state, document, unknown paths', async () => {
    const other = await deployment.addGateway({
      ...COUNTED_TOGETHER,
      statusDeadlineMs: TEST_TIMEOUT_MS,
      env: { PUBLIC_READ_LIMIT: '60', INTERNAL_TOKEN: 'x'.repeat(32) },
    })
    const paths = ['/health', '/ready', '/docs', '/openapi.json', '/nothing', '/api/event/nothing']
    const statuses = async () => Promise.all(paths.map(async (path) => (await other.call(path)).status))
    for (let round = 0; round < 9; round++) {
      const each = await statuses()
      expect(each.toSorted()).toEqual([200, 200, 200, 200, 404, 404])
    }
    expect((await other.call('/api/event/checkin')).status).toBe(405)
    const answer = await other.call('/health', { method: 'HEAD' })
    expect([answer.status, answer.headers.get('ratelimit-remaining')]).toEqual([200, '4'])
    for (let i = 0; i < 4; i++) await other.call('/api/event/data')
    expect(await statuses()).toEqual(paths.map(() => 429))
    const refused = await other.call('/nothing')
    expect(Number(refused.headers.get('retry-after'))).toBeWithin(1, 61)
    expect((await other.call('/api/event/checkin', json({ userId: 'U77' }))).status).toBe(200)
  })

  test('/health is 200 while Redis stalls', async () => {
    const other = await deployment.addGateway({ env: { INTERNAL_TOKEN: 'w'.repeat(32) } })
    deployment.redis.suspend()
    try {
      for (let i = 0; i < 3; i++) expect((await other.call('/health')).status).toBe(200)
    } finally {
      deployment.redis.resume()
    }
  })
})

test('made-up users leave keys that expire and do not contain their ids', async () => {
  await Promise.all(
    Array.from({ length: 50 }, (_, i) => a.call('/api/event/checkin', json({ userId: `ghost-${i}` }))),
  )
  for (const key of await a.redis.keys('*')) {
    expect(key).not.toContain('ghost')
    const ttlMs = await a.redis.pTTL(key)
    // -1: it would stay for ever. -2: it has gone meanwhile.
    expect(ttlMs).not.toBe(-1)
    expect(ttlMs).toBeLessThanOrEqual(24 * 3_600_000)
  }
})
