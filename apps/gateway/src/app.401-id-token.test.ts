import { afterAll, beforeAll, expect, describe as group, test } from 'bun:test'
import { ROLE_LEVEL } from '@palanquin/domain/role'
import { type LineStub, testLine } from '@palanquin/line-simulator/stub'
import { type GatewayInstance, json, TOKENS } from '../test/gateway.ts'
import { COUNTED_TOGETHER, useGateway } from '../test/use-gateway.ts'
import { ROUTES } from './routes.ts'

const line: LineStub = testLine()
afterAll(() => line.close())
const USER_AUTH = { ...line.environment, USER_AUTH: 'line' }

const deployment = useGateway({ env: { ...USER_AUTH, RATE_LIMITS: 'off' } })
const limits: { line?: GatewayInstance; off?: GatewayInstance } = {}
beforeAll(async () => {
  limits.line = await deployment.addGateway({ ...COUNTED_TOGETHER, env: USER_AUTH })
  limits.off = await deployment.addGateway(COUNTED_TOGETHER)
})

/** Web login's tokens are verified by LINE then. */
const NO_SECRET = { LINE_LOGIN_CHANNEL_SECRET: '' }
const ME = `U${'a'.repeat(32)}`
const VICTIM = `U${'b'.repeat(32)}`

type Order = Parameters<LineStub['control']['idTokens']['issue']>[0]
const bearer = (order: Partial<Order> = {}) => ({
  authorization: `Bearer ${line.control.idTokens.issue({ userId: ME, ...order })}`,
})
const PROOFS: Record<string, { headers: () => Record<string, string>; status: number }> = {
  'the token of that userId': { headers: () => bearer(), status: 200 },
  'the same of web login': { headers: () => bearer({ as: 'HS256' }), status: 200 },
  'no token': { headers: () => ({}), status: 401 },
  'an expired token': { headers: () => bearer({ lifetimeS: -1 }), status: 401 },
  'a token for another channel': { headers: () => bearer({ audience: '1656999999' }), status: 401 },
  'a tampered token': { headers: () => bearer({ as: 'altered' }), status: 401 },
  'a token of another key': { headers: () => bearer({ as: 'other-key' }), status: 401 },
  'a token that is not signed': { headers: () => bearer({ as: 'unsigned' }), status: 401 },
  'a token under the public key': { headers: () => bearer({ as: 'public-key-as-secret' }), status: 401 },
  'no Bearer': { headers: () => ({ authorization: 'Basic YTpi' }), status: 401 },
  'an empty Bearer': { headers: () => ({ authorization: 'Bearer' }), status: 401 },
  'another’s token': { headers: () => bearer({ userId: VICTIM }), status: 403 },
}
/** Every public write of the contract that names a userId. */
const WRITES = [
  'POST /user/sync',
  'POST /user/phone',
  'POST /privacy',
  'POST /participant-status',
  'POST /submit',
  'POST /survey',
  'POST /checkin',
  'POST /track/sync',
  'POST /og-image',
  'POST /feedback',
  'POST /feedback-upload',
]

const BATCHED = ['POST /checkin', 'POST /track/sync']

const forwarded = () => deployment.calls().length
const errorOf = async (answer: Response) => ((await answer.json()) as { error: string }).error

group('a public write that names a userId', () => {
  test('is each of these', () => {
    const asking = ROUTES.filter(({ userAuth }) => userAuth === 'named').map(
      ({ method, path }) => `${method} ${path}`,
    )
    expect(asking.toSorted()).toEqual(WRITES.toSorted())
  })

  group.each(WRITES)('%s', (row) => {
    test.each(Object.keys(PROOFS))('with %s', async (name) => {
      const { headers, status } = PROOFS[name] ?? { headers: () => ({}), status: 0 }
      const path = `/api/event${row.replace('POST ', '')}`
      const answer = await deployment.gateway.call(path, json({ userId: ME }, headers()))
      expect({ status: answer.status, forwarded: forwarded() }).toEqual({
        status,
        forwarded: status === 200 ? 1 : 0,
      })
      if (status === 401) expect(answer.headers.get('www-authenticate')).toStartWith('Bearer')
      if (status === 200) {
        const [call] = deployment.calls()
        // Those of a batch bring the `userId` that they were counted by, which the service compares.
        expect(call?.headers.get('x-internal-user')).toBe(BATCHED.includes(row) ? null : ME)
        expect(call?.headers.get('authorization')).toBeNull()
      }
    })
  })

  test('must name the user of its token, in any spelling that the service reads', async () => {
    for (const body of [
      { user_id: VICTIM },
      { line_user_id: VICTIM },
      { lineUserId: VICTIM },
      { userId: VICTIM, user_id: ME },
      { user_id: VICTIM, line_user_id: ME },
    ])
      expect((await deployment.gateway.call('/api/event/checkin', json(body, bearer()))).status).toBe(403)
    const twice = { ...json({}, bearer()), body: `{"userId":"${ME}","userId":"${VICTIM}"}` }
    expect((await deployment.gateway.call('/api/event/checkin', twice)).status).toBe(403)
    expect(forwarded()).toBe(0)
  })

  test('may be a form, which must name the user of the token', async () => {
    const upload = async (userId: string | undefined, headers: Record<string, string>, name = 'userId') => {
      const body = new FormData()
      body.append('image', new Blob(['x'], { type: 'image/png' }), 'a.png')
      if (userId !== undefined) body.append(name, userId)
      return (await deployment.gateway.call('/api/event/feedback-upload', { method: 'POST', body, headers }))
        .status
    }
    expect(await upload(ME, bearer())).toBe(200)
    expect(await upload(undefined, {})).toBe(200)
    expect(forwarded()).toBe(2)
    expect(await upload(VICTIM, bearer())).toBe(403)
    expect(await upload(VICTIM, bearer(), 'line_user_id')).toBe(403)
    expect(await upload(VICTIM, {})).toBe(401)
    expect(await upload('a b', bearer())).toBe(400)
    const broken = {
      method: 'POST',
      body: 'x',
      headers: { ...bearer(), 'content-type': 'multipart/form-data; boundary=y' },
    }
    expect((await deployment.gateway.call('/api/event/feedback-upload', broken)).status).toBe(400)
    expect(forwarded()).toBe(2)
  })

  test('feedback without a userId needs no token, but a bad one is rejected', async () => {
    const feedback = (headers: Record<string, string>) =>
      deployment.gateway.call('/api/event/feedback', json({ message: 'm' }, headers))
    expect((await feedback({})).status).toBe(200)
    expect((await feedback(bearer())).status).toBe(200)
    expect((await feedback(bearer({ lifetimeS: -1 }))).status).toBe(401)
  })
})

group('an administrator', () => {
  test.each(['owner', 'manager', 'volunteer'] as const)(
    '%s: makes anybody’s card from tier 2 up without a LIFF token',
    async (role) => {
      const headers = { 'x-admin-token': TOKENS[role] }
      const answer = await deployment.gateway.call('/api/event/og-image', json({ user_id: VICTIM }, headers))
      expect(answer.status).toBe(ROLE_LEVEL[role] >= 2 ? 200 : 401)
    },
  )

  test('does not replace an ID token where admin tokens are ignored', async () => {
    const checkin = json({ userId: VICTIM }, { 'x-admin-token': TOKENS.owner })
    expect((await deployment.gateway.call('/api/event/checkin', checkin)).status).toBe(401)
  })
})

group('DELETE /user/{userId}', () => {
  const erase = (headers: Record<string, string>, gateway = deployment.gateway) =>
    gateway.call(`/api/event/user/${ME}`, { method: 'DELETE', headers })

  test('is for an owner, and for the participant with the token of that userId', async () => {
    expect((await erase({ 'x-admin-token': TOKENS.owner })).status).toBe(200)
    expect((await erase(bearer())).status).toBe(200)
    const [byOwner, byThemselves] = deployment.services.engagement.calls
    expect([byOwner?.headers.get('x-internal-tier'), byOwner?.headers.get('x-internal-user')]).toEqual([
      '3',
      null,
    ])
    expect([
      byThemselves?.headers.get('x-internal-tier'),
      byThemselves?.headers.get('x-internal-user'),
    ]).toEqual(['0', ME])
  })

  test('is for no one else', async () => {
    expect((await erase({})).status).toBe(401)
    expect((await erase({ 'x-admin-token': TOKENS.manager })).status).toBe(403)
    expect((await erase({ 'x-admin-token': 'wrong', ...bearer() })).status).toBe(401)
    expect((await erase({ 'x-internal-user': ME })).status).toBe(401)
    for (const [name, { headers, status }] of Object.entries(PROOFS))
      if (status !== 200) expect({ name, status: (await erase(headers())).status }).toEqual({ name, status })
    expect(forwarded()).toBe(0)
  })

  test('with USER_AUTH=off a LIFF token has no effect', async () => {
    expect((await erase(bearer(), limits.off)).status).toBe(401)
  })

  test('of the own data is rate limited', async () => {
    const statuses = await Promise.all(
      Array.from({ length: 40 }, async () => (await erase(bearer(), limits.line)).status),
    )
    expect(statuses.filter((status) => status === 200)).toHaveLength(30)
    expect(statuses.filter((status) => status === 429)).toHaveLength(10)
  })
})

group('the order of checks', () => {
  test('size → token 401 → JSON and userId 400 → another user’s 403', async () => {
    const call = async (body: string, headers: Record<string, string>) =>
      (await deployment.gateway.call('/api/event/checkin', { ...json({}, headers), body })).status
    expect(await call('x'.repeat(102_401), {})).toBe(413)
    expect(await call('{', {})).toBe(401)
    expect(await call('{', bearer({ lifetimeS: -1 }))).toBe(401)
    expect(await call('{', bearer({ userId: VICTIM }))).toBe(400)
    expect(await call('{"userId":"a b"}', bearer({ userId: VICTIM }))).toBe(400)
    expect(await call(`{"userId":"${ME}"}`, bearer({ userId: VICTIM }))).toBe(403)
  })

  test('no one uses up the rate of a victim, with or without ID tokens', async () => {
    const checkin = async (gateway: GatewayInstance | undefined, headers: Record<string, string>) =>
      (await gateway?.call('/api/event/checkin', json({ userId: ME }, headers)))?.status
    const statuses: unknown[] = []
    for (let i = 0; i < 10; i++) {
      statuses.push(await checkin(limits.line, bearer({ userId: VICTIM, nonce: `${i}` })))
      statuses.push(await checkin(limits.line, bearer({ lifetimeS: -1 })))
      statuses.push(await checkin(limits.off, {}))
    }
    expect(statuses.filter((status) => status === 403)).toHaveLength(10)
    expect(statuses.filter((status) => status === 401)).toHaveLength(10)
    expect(statuses.filter((status) => status === 200)).toHaveLength(5)
    const own = []
    for (let i = 0; i < 6; i++) own.push(await checkin(limits.line, bearer()))
    expect(own).toEqual([200, 200, 200, 200, 200, 429])
  })
})

group('wrong ID tokens', () => {
  const verifications = () => line.control.calls().filter(({ endpoint }) => endpoint === 'verify').length
  /** Of LIFF's form and algorithm, under a key that LINE never published: only LINE can decide. */
  const unknownKey = (index: number): string => {
    const [, ...rest] = line.control.idTokens.issue({ userId: ME, nonce: `wrong-${index}` }).split('.')
    const head = Buffer.from(JSON.stringify({ alg: 'ES256', kid: `made-up-${index}` })).toString('base64url')
    return `Bearer ${[head, ...rest].join('.')}`
  }
  const own = (network: string, env = {}) =>
    deployment.addGateway({
      ...COUNTED_TOGETHER,
      env: { ...USER_AUTH, INTERNAL_TOKEN: `internal-token-of-${network}`.padEnd(32, 'x'), ...env },
    })
  const privacy = (gateway: GatewayInstance, authorization: string) =>
    gateway.call('/api/event/privacy', json({ userId: ME, consent: true }, { authorization }))
  const known = bearer({ nonce: 'known' }).authorization

  test('are 401 sixty times in a minute and then 429, LINE is not asked, and a right one is never refused', async () => {
    const gateway = await own('guessers')
    expect((await privacy(gateway, known)).status).toBe(200)
    const before = verifications()
    const answers = []
    for (let i = 0; i < 80; i++) answers.push(await privacy(gateway, unknownKey(i)))
    const statuses = answers.map(({ status }) => status)
    expect(statuses.slice(0, 60)).toEqual(Array(60).fill(401))
    expect(statuses.slice(60)).toEqual(Array(20).fill(429))
    expect(answers[0]?.headers.get('ratelimit-remaining')).toBe('59')
    expect(Number(answers[79]?.headers.get('retry-after'))).toBeWithin(1, 61)
    expect(verifications() - before).toBeLessThanOrEqual(1)
    expect((await privacy(gateway, bearer({ nonce: 'unseen' }).authorization)).status).toBe(200)
    expect((await privacy(gateway, known)).status).toBe(200)
  })

  test('sent all at once are counted too', async () => {
    const gateway = await own('crowd')
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, i) => privacy(gateway, `Bearer wrong-${i}`)),
    )
    answers.push(
      ...(await Promise.all(Array.from({ length: 40 }, (_, i) => privacy(gateway, `Bearer no-${i}`)))),
    )
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(60)
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(20)
  })

  test('are not expired ones, good ones, nor those that cannot be judged now', async () => {
    const gateway = await own('pilgrims', NO_SECRET)
    const ask = async (order: Partial<Order>) => (await privacy(gateway, bearer(order).authorization)).status
    for (let i = 0; i < 70; i++) expect(await ask({ lifetimeS: -1, nonce: `late-${i}` })).toBe(401)
    for (let i = 0; i < 30; i++) expect(await ask({ nonce: `good-${i}` })).toBe(200)
    line.control.faults.order({ kind: 'error', at: 'verify', times: 5 })
    for (let i = 0; i < 5; i++) expect(await ask({ as: 'HS256', nonce: `away-${i}` })).toBe(503)
    const wrong = await privacy(gateway, 'Bearer wrong')
    expect([wrong.status, wrong.headers.get('ratelimit-remaining')]).toEqual([401, '59'])
  })
})

test('with LINE away, tokens that LINE alone can verify are a 503 with Retry-After, and the rest goes on', async () => {
  const gateway = await deployment.addGateway({
    env: { ...USER_AUTH, ...NO_SECRET, RATE_LIMITS: 'off' },
  })
  const checkin = (headers: Record<string, string>) =>
    gateway.call('/api/event/checkin', json({ userId: ME }, headers))
  const known = bearer({ as: 'HS256', nonce: 'known' })
  expect((await checkin(known)).status).toBe(200)
  line.control.faults.order({ kind: 'error', at: 'verify', times: 1 })
  const refused = await checkin(bearer({ as: 'HS256', nonce: 'new' }))
  expect([refused.status, Number(refused.headers.get('retry-after')) > 0]).toEqual([503, true])
  expect(await errorOf(refused)).toContain('LINE')
  expect((await checkin(known)).status).toBe(200)
  expect(forwarded()).toBe(2)
})

test('reads and the webhook need no ID token, and a page of another origin may send one', async () => {
  for (const path of [`/user/${ME}`, '/data', `/photos/count?userId=${ME}`, '/survey'])
    expect((await deployment.gateway.call(`/api/event${path}`)).status).toBe(200)
  expect((await deployment.gateway.call('/api/event/webhook', json({ events: [] }))).status).not.toBe(401)
  const preflight = await deployment.gateway.call('/api/event/checkin', { method: 'OPTIONS' })
  expect(preflight.headers.get('access-control-allow-headers')).toContain('Authorization')
})

test('the document has LiffToken exactly where it is required', async () => {
  type Document = {
    paths: Record<string, Record<string, { security: unknown; responses: Record<string, unknown> }>>
    components: { securitySchemes: Record<string, unknown> }
  }
  const read = async (gateway: GatewayInstance | undefined) =>
    (await (await gateway?.call('/openapi.json'))?.json()) as Document
  const { paths, components } = await read(deployment.gateway)
  const at = (path: string, method = 'post') => paths[`/api/event${path}`]?.[method]?.security
  expect(components.securitySchemes.LiffToken).toMatchObject({ type: 'http', scheme: 'bearer' })
  expect(at('/checkin')).toEqual([{ LiffToken: [] }])
  expect(at('/feedback')).toEqual([{}, { LiffToken: [] }])
  expect(at('/og-image')).toEqual([{ AdminToken: [] }, { LiffToken: [] }])
  expect(at('/user/{userId}', 'delete')).toEqual([{ AdminToken: [] }, { LiffToken: [] }, { Session: [] }])
  expect(at('/user/{userId}', 'get')).toEqual([{}, { LiffToken: [] }, { Session: [] }])
  expect(at('/photos/count', 'get')).toEqual([])
  expect(Object.keys(paths['/api/event/checkin']?.post?.responses ?? {})).toEqual(
    expect.arrayContaining(['401', '403', '503']),
  )
  expect(JSON.stringify(await read(limits.off))).not.toContain('LiffToken')
})
