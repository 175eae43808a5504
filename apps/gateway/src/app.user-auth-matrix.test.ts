import { afterAll, beforeAll, expect, describe as group, test } from 'bun:test'
import { type LineStub, testLine } from '@palanquin/line-simulator/stub'
import { type GatewayInstance, json } from '../test/gateway.ts'
import { type SignedIn, signIn } from '../test/sign-in.ts'
import { useGateway } from '../test/use-gateway.ts'
import { ROUTES } from './routes.ts'

/** Every public write of the contract that names a `userId`, and the erasure, in every mode of `USER_AUTH` × every credential. */

const MODES = ['off', 'line', 'session'] as const
type Mode = (typeof MODES)[number]

const line: LineStub = testLine()
afterAll(() => line.close())
const environment = (mode: Mode) => ({ ...line.environment, USER_AUTH: mode, RATE_LIMITS: 'off' })

const deployment = useGateway({ env: environment('session') })
const gateways: Partial<Record<Mode, GatewayInstance>> = {}
const people: { me?: SignedIn; other?: SignedIn; over?: SignedIn; manager?: SignedIn; owner?: SignedIn } = {}
const ME = `U${'a'.repeat(32)}`
const OTHER = `U${'b'.repeat(32)}`
const MANAGER = `U${'c'.repeat(32)}`
const OWNER = `U${'d'.repeat(32)}`

const bearer = (userId: string, order = {}) => ({
  authorization: `Bearer ${line.control.idTokens.issue({ userId, ...order })}`,
})

beforeAll(async () => {
  for (const mode of MODES) gateways[mode] = await deployment.addGateway({ env: environment(mode) })
  const { sessions } = deployment.services.engagement
  sessions.roles.set(MANAGER, 'manager')
  sessions.roles.set(OWNER, 'owner')
  const asLine = (userId: string) =>
    signIn(deployment.gateway, { liffIdToken: line.control.idTokens.issue({ userId }) })
  people.me = await asLine(ME)
  people.other = await asLine(OTHER)
  people.over = await asLine(ME)
  people.manager = await asLine(MANAGER)
  people.owner = await asLine(OWNER)
  sessions.change(people.over.hash, { expiresAt: new Date(Date.now() - 1_000).toISOString() })
})

const page = (who: keyof typeof people, origin?: string | null) => ({
  cookie: people[who]?.cookie ?? '',
  ...(origin === null ? {} : { origin: origin ?? 'OWN' }),
})

/** Who the caller of own-data routes is taken for; `from`: whether the request comes from a page of ours. */
type Own = { as?: string; from?: 'elsewhere' }
const NOT_ASKED: Own = {}
function expectedOf({ as, from }: Own, { isRead, namesMe }: { isRead: boolean; namesMe: boolean }): number {
  if (as === undefined) return 401
  if (from === 'elsewhere' && !isRead) return 403
  return namesMe && as !== ME ? 403 : 200
}
type Expected = Record<Mode, number>
const always = (status: number): Expected => ({ off: status, line: status, session: status })
/** What a write that names ME is answered, by credential. */
type Case = { headers: () => Record<string, string>; named: Expected; erase: number; own: Own }
const CREDENTIALS: Record<string, Case> = {
  none: { headers: () => ({}), named: { off: 200, line: 401, session: 401 }, erase: 401, own: NOT_ASKED },
  'own session': {
    headers: () => page('me'),
    named: { off: 200, line: 401, session: 200 },
    erase: 200,
    own: { as: ME },
  },
  'own session, without Origin': {
    headers: () => page('me', null),
    named: { off: 200, line: 401, session: 403 },
    erase: 403,
    own: { as: ME, from: 'elsewhere' },
  },
  'own session, from another site': {
    headers: () => page('me', 'https://evil.example'),
    named: { off: 200, line: 401, session: 403 },
    erase: 403,
    own: { as: ME, from: 'elsewhere' },
  },
  'own session, from a sandboxed frame': {
    headers: () => page('me', 'null'),
    named: { off: 200, line: 401, session: 403 },
    erase: 403,
    own: { as: ME, from: 'elsewhere' },
  },
  'own session, from another port of this host': {
    headers: () => page('me', 'https://localhost:1'),
    named: { off: 200, line: 401, session: 403 },
    erase: 403,
    own: { as: ME, from: 'elsewhere' },
  },
  'another’s session': {
    headers: () => page('other'),
    named: { off: 200, line: 401, session: 403 },
    erase: 403,
    own: { as: OTHER },
  },
  'a manager’s session': {
    headers: () => page('manager'),
    named: { off: 200, line: 401, session: 403 },
    erase: 403,
    own: { as: MANAGER },
  },
  'an owner’s session': {
    headers: () => page('owner'),
    named: { off: 200, line: 401, session: 403 },
    erase: 200,
    own: { as: OWNER },
  },
  'an expired session': {
    headers: () => page('over'),
    named: { off: 200, line: 401, session: 401 },
    erase: 401,
    own: NOT_ASKED,
  },
  'a made-up session': {
    headers: () => ({ cookie: `__Host-session=${'A'.repeat(43)}`, origin: 'OWN' }),
    named: { off: 200, line: 401, session: 401 },
    erase: 401,
    own: NOT_ASKED,
  },
  'a session under another cookie name': {
    headers: () => ({ cookie: (people.me?.cookie ?? '').replace('__Host-', ''), origin: 'OWN' }),
    named: { off: 200, line: 401, session: 401 },
    erase: 401,
    own: NOT_ASKED,
  },
  'a session as a bearer': {
    headers: () => ({ authorization: `Bearer ${people.me?.cookie.split('=')[1]}` }),
    named: { off: 200, line: 401, session: 401 },
    erase: 401,
    own: NOT_ASKED,
  },
  'own ID token': { headers: () => bearer(ME), named: always(200), erase: 200, own: { as: ME } },
  'own ID token, from another site': {
    headers: () => ({ ...bearer(ME), origin: 'https://app.example' }),
    named: always(200),
    erase: 200,
    own: { as: ME },
  },
  'another’s ID token': {
    headers: () => bearer(OTHER),
    named: { off: 200, line: 403, session: 403 },
    erase: 403,
    own: { as: OTHER },
  },
  'an expired ID token': {
    headers: () => bearer(ME, { lifetimeS: -1 }),
    named: { off: 200, line: 401, session: 401 },
    erase: 401,
    own: NOT_ASKED,
  },
  'another’s ID token beside the own session': {
    headers: () => ({ ...bearer(OTHER), ...page('me') }),
    named: { off: 200, line: 403, session: 403 },
    erase: 403,
    own: { as: OTHER },
  },
  'an expired ID token beside the own session': {
    headers: () => ({ ...bearer(ME, { lifetimeS: -1 }), ...page('me') }),
    named: { off: 200, line: 401, session: 401 },
    erase: 401,
    own: NOT_ASKED,
  },
}

/** The gateway's own have tests in app.sessions.test.ts: no service hears of them as of these. */
const SELF = ROUTES.filter(({ userAuth, handler }) => userAuth === 'self' && handler === 'service').map(
  ({ method, path, atRoot }) => `${method} ${atRoot ? '' : '/api/event'}${path}`,
)

/** Routes where a staff session counts as an admin token does: a manager makes anybody's card. */
const FOR_STAFF = ['POST /og-image']
const BATCHED = ROUTES.filter(({ batch }) => batch !== undefined).map(
  ({ method, path }) => `${method} ${path}`,
)
const WRITES = ROUTES.filter(({ userAuth }) => userAuth === 'named').map(
  ({ method, path }) => `${method} ${path}`,
)

/** What is the caller's own alone, by its path. */
const call = async (mode: Mode, row: string, headers: Record<string, string>) => {
  const gateway = gateways[mode]
  if (!gateway) throw new Error('no gateway')
  const [method = '', path = ''] = row.split(' ')
  const sent = headers.origin === 'OWN' ? { ...headers, origin: gateway.url } : headers
  const concrete = path.replace('{userId}', ME).replace('{id}', 'one')
  const at = /^\/(?:api|upload)\//.test(concrete) ? concrete : `/api/event${concrete}`
  const body = method === 'POST' ? json({ userId: ME }, sent) : { method, headers: sent }
  const answer = await gateway.call(at, body)
  return { status: answer.status, forwarded: deployment.calls() }
}

test('the matrix has every public write that names a userId', () => {
  expect(WRITES.toSorted()).toEqual(
    [
      ...['POST /user/sync', 'POST /user/phone', 'POST /privacy', 'POST /participant-status'],
      ...['POST /submit', 'POST /survey', 'POST /checkin', 'POST /track/sync', 'POST /og-image'],
      ...['POST /feedback', 'POST /feedback-upload'],
    ].toSorted(),
  )
})

group.each(MODES)('USER_AUTH=%s', (mode) => {
  group.each(WRITES)('%s', (row) => {
    test.each(Object.keys(CREDENTIALS))('%s', async (name) => {
      const { headers, named } = CREDENTIALS[name] ?? { headers: () => ({}), named: always(0) }
      const isStaff = FOR_STAFF.includes(row) && /manager|owner/.test(name)
      const expected = isStaff ? 200 : named[mode]
      const { status, forwarded } = await call(mode, row, headers())
      expect({ status, forwarded: forwarded.length }).toEqual({
        status: expected,
        forwarded: expected === 200 ? 1 : 0,
      })
      const [forward] = forwarded
      if (!forward) return
      // Those of a batch bring the `userId` that they were counted by, which the service compares.
      const isProven = mode !== 'off' && !isStaff && !BATCHED.includes(row)
      expect(forward.headers.get('x-internal-user')).toBe(isProven ? ME : null)
      for (const secret of ['cookie', 'authorization']) expect(forward.headers.get(secret)).toBeNull()
    })
  })

  test.each(Object.keys(CREDENTIALS))('DELETE /user/{userId} with %s', async (name) => {
    const { headers, erase } = CREDENTIALS[name] ?? { headers: () => ({}), erase: 0 }
    const { status, forwarded } = await call(mode, 'DELETE /user/{userId}', headers())
    expect({ status, forwarded: forwarded.length }).toEqual({
      status: erase,
      forwarded: erase === 200 ? 1 : 0,
    })
    const isOwner = name.startsWith('an owner')
    if (erase !== 200) return
    expect(forwarded[0]?.headers.get('x-internal-user')).toBe(isOwner ? null : ME)
    expect(forwarded[0]?.headers.get('x-internal-actor')).toBe(isOwner ? OWNER : null)
  })

  test.each(Object.keys(CREDENTIALS))(
    'GET /user/{userId} is public, and names the person alone to the service: %s',
    async (name) => {
      const { headers, own } = CREDENTIALS[name] ?? { headers: () => ({}), own: NOT_ASKED }
      const { status, forwarded } = await call(mode, 'GET /user/{userId}', headers())
      expect([status, forwarded.length]).toEqual([200, 1])
      expect(forwarded[0]?.headers.get('x-internal-user')).toBe(own.as === ME ? ME : null)
    },
  )

  group.each(SELF)('%s', (row) => {
    test.each(Object.keys(CREDENTIALS))('%s', async (name) => {
      const { headers, own } = CREDENTIALS[name] ?? { headers: () => ({}), own: NOT_ASKED }
      const isRead = row.startsWith('GET')
      const namesMe = row.includes('{userId}')
      const { status, forwarded } = await call(mode, row, headers())
      const expected = expectedOf(own, { isRead, namesMe })
      expect({ status, forwarded: forwarded.length }).toEqual({
        status: expected,
        forwarded: expected === 200 ? 1 : 0,
      })
      if (expected === 200) expect(forwarded[0]?.headers.get('x-internal-user')).toBe(own.as ?? null)
      expect(forwarded[0]?.headers.get('x-internal-actor') ?? null).toBeNull()
    })
  })

  test('feedback without a userId needs nothing, and stays anonymous whatever cookie comes along', async () => {
    const gateway = gateways[mode]
    for (const headers of [{}, page('me', null), page('over', null), page('me', 'https://evil.example')]) {
      const answer = await gateway?.call('/api/event/feedback', json({ category: 'bug' }, headers))
      expect(answer?.status).toBe(200)
      expect(deployment.calls().at(-1)?.headers.get('x-internal-user')).toBeNull()
    }
  })
})
