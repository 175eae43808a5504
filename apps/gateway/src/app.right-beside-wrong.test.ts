import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { type LineStub, testLine } from '@palanquin/line-simulator/stub'
import { credentialTags } from '@palanquin/service/credential-tags'
import { newWriteToken } from '@palanquin/service/write-token'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { until } from '@palanquin/testing/until'
import { type GatewayInstance, json, TOKENS } from '../test/gateway.ts'
import { fixBy, phonesOf } from '../test/phone-apps.ts'
import { type SignedIn, signIn } from '../test/sign-in.ts'
import { COUNTED_TOGETHER, useGateway } from '../test/use-gateway.ts'
import { newRecoveryCode, newToken } from './sessions/secrets.ts'

/** What one client behind an address sends, and what becomes of all others behind it (contract section 1, "Wrong credentials"). */

setDefaultTimeout(TEST_TIMEOUT_MS)

const line: LineStub = testLine()
afterAll(() => line.close())
const SESSION_AUTH = { ...line.environment, USER_AUTH: 'session' }
const deployment = useGateway({ ...COUNTED_TOGETHER, env: SESSION_AUTH })
const phones = phonesOf(deployment)

const MANAGER = `U${'c'.repeat(32)}`
const liff = (userId: string, order = {}) => line.control.idTokens.issue({ userId, ...order })
const people: { organiser?: SignedIn; pilgrim?: SignedIn } = {}
beforeAll(async () => {
  deployment.services.engagement.sessions.roles.set(MANAGER, 'manager')
  people.organiser = await signIn(deployment.gateway, { liffIdToken: liff(MANAGER) })
  people.pilgrim = await signIn(deployment.gateway, { device: true })
})

/** One more gateway; what it counts is of this name alone. */
const countingApart = (name: string, env: Record<string, string> = {}) =>
  deployment.addGateway({
    ...COUNTED_TOGETHER,
    env: {
      ...SESSION_AUTH,
      INTERNAL_TOKEN: `internal-token-of-${name.replaceAll(' ', '-')}`.padEnd(32, 'x'),
      ...env,
    },
  })

const pause = (gateway: GatewayInstance) =>
  gateway.call('/api/event/admin/status', {
    ...json({ status: 'paused' }, { ...people.organiser?.asPage, origin: gateway.url }),
    method: 'PUT',
  })
const consent = (gateway: GatewayInstance, who = people.pilgrim) =>
  gateway.call(
    '/api/event/privacy',
    json({ userId: who?.userId, consent: false }, { ...who?.asPage, origin: gateway.url }),
  )

/** Calls until it is let in, and says by what it was refused until then; 503 is a machine that has too much to do. */
async function refusalsOf(call: () => Promise<{ status: number }>): Promise<number[]> {
  const refused: number[] = []
  await until(
    async () => {
      const { status } = await call()
      if (status !== 200 && status !== 503) refused.push(status)
      return status === 200 || refused.length > 0
    },
    { what: 'it gets in' },
  )
  return refused
}

const none = credentialTags('no secret of ours')
const madeUp: Record<string, (gateway: GatewayInstance) => Promise<Response>> = {
  'session cookies': (gateway) =>
    gateway.call('/api/event/user/@me', { headers: { cookie: `__Host-session=${newToken(none)}` } }),
  'session cookies of another form': (gateway) =>
    gateway.call('/api/event/user/@me', {
      headers: { cookie: `__Host-session=${randomBytes(32).toString('base64url')}` },
    }),
  'recovery codes': (gateway) =>
    gateway.call('/api/event/session', json({ recoveryCode: newRecoveryCode(none) })),
  'ID tokens': (gateway) =>
    gateway.call('/api/event/user/@me', {
      headers: { authorization: `Bearer ${liff(MANAGER, { as: 'other-key', nonce: newToken(none) })}` },
    }),
  'ID tokens of web login': (gateway) =>
    gateway.call('/api/event/user/@me', {
      headers: {
        authorization: `Bearer ${liff(MANAGER, { as: 'public-key-as-secret', nonce: newToken(none) })}`,
      },
    }),
  'admin tokens': (gateway) =>
    gateway.call('/api/event/auth/role', { headers: { 'x-admin-token': newToken(none) } }),
  'write tokens of devices': (gateway) =>
    gateway.call('/upload/import', {
      method: 'POST',
      headers: { authorization: `Bearer ${newWriteToken(none)}` },
      body: 'x',
    }),
}

test.each(Object.keys(madeUp))(
  '200 made-up %s refuse nobody else, and no service hears of them',
  async (kind) => {
    const gateway = await countingApart(kind)
    const { sessions } = deployment.services.engagement
    phones.answering()
    const token = phones.token()
    // Whatever the right ones need has been looked up.
    expect((await consent(gateway)).status).toBe(200)
    sessions.received.length = 0
    const statuses: (number | undefined)[] = []
    const guess = async () => statuses.push((await madeUp[kind]?.(gateway))?.status)
    const wrong = Array.from({ length: 10 }, async () => {
      for (let n = 0; n < 20; n++) await guess()
    })
    const right = Array.from({ length: 5 }, async () => [
      ...(await refusalsOf(() => pause(gateway))),
      ...(await refusalsOf(() => consent(gateway))),
      ...(await refusalsOf(() => phones.send(fixBy('owntracks', token), gateway))),
      ...(await refusalsOf(() =>
        gateway.call('/api/event/auth/role', { headers: { 'x-admin-token': TOKENS.owner } }),
      )),
    ])
    const startedMs = performance.now()
    expect((await Promise.all(right)).flat()).toEqual([])
    await Promise.all(wrong)
    const windows = 1 + Math.floor((performance.now() - startedMs) / 60_000)
    expect(statuses.filter((status) => status !== 401 && status !== 429)).toEqual([])
    expect(statuses.filter((status) => status === 401).length).toBeWithin(60, 60 * windows + 1)
    // A person with a role is looked up each second.
    expect(sessions.received.filter((body) => !body.includes(people.organiser?.hash ?? '?'))).toEqual([])
    // Those who come now, with what this gateway has never seen.
    const newcomer = await signIn(gateway, { liffIdToken: liff(`U${'d'.repeat(32)}`, { nonce: kind }) })
    expect((await consent(gateway, newcomer)).status).toBe(200)
    expect((await consent(await countingApart(kind))).status).toBe(200)
  },
)

test('a gateway that restarts under 300 signed-in people of one address lets all of them in', async () => {
  const crowd: SignedIn[] = []
  const { gateway } = deployment
  while (crowd.length < 300)
    crowd.push(
      ...(await Promise.all(
        Array.from({ length: 10 }, (_, n) =>
          signIn(gateway, { liffIdToken: liff(userIdOf(crowd.length + n)) }),
        ),
      )),
    )
  const restarted = await countingApart('restart')
  const refused = await Promise.all(crowd.map((who) => refusalsOf(() => consent(restarted, who))))
  expect(refused.flat()).toEqual([])
})

test.each(['session', 'off'])(
  'with USER_AUTH=%s worthless writes and reads use up the places of strangers alone',
  async (mode) => {
    const gateway = await countingApart(mode, {
      USER_AUTH: mode,
      PUBLIC_WRITE_LIMIT: '10',
      PUBLIC_READ_LIMIT: '10',
      PAGE_READ_LIMIT: '10',
      MAP_QUERY_LIMIT: '10',
    })
    const { pilgrim } = people
    const cookie = pilgrim?.cookie ?? ''
    const calls: ((headers: Record<string, string>) => Promise<Response>)[] = [
      (headers) => gateway.call('/api/event/feedback', json({ category: 'other', message: 'x' }, headers)),
      (headers) => gateway.call('/api/event/survey', { headers }),
      (headers) => gateway.call('/api/event/activity', { headers }),
      (headers) => gateway.call('/api/event/data?limit=3', { headers }),
      (headers) => gateway.call('/api/event/nothing', { headers }),
    ]
    for (const call of calls) for (let n = 0; n < 12; n++) await call({})
    for (const call of calls) expect((await call({})).status).toBe(429)
    for (const call of calls)
      for (let n = 0; n < 2; n++)
        expect([`${call}`, (await call({ cookie })).status]).not.toEqual([`${call}`, 429])
    for (const call of calls) expect((await call({})).status).toBe(429)
    expect((await consent(gateway)).status).toBe(200)
  },
)

const userIdOf = (n: number) => `U${String(n).padStart(32, '0')}`
