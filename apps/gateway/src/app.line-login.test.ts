import { afterAll, beforeAll, expect, test } from 'bun:test'
import { createHash, randomBytes } from 'node:crypto'
import { type LineStub, testLine } from '@palanquin/line-simulator/stub'
import { type GatewayInstance, json } from '../test/gateway.ts'
import { signIn } from '../test/sign-in.ts'
import { useGateway } from '../test/use-gateway.ts'

/** LINE Login with PKCE, outside of LINE. */

const line: LineStub = testLine()
afterAll(() => line.close())
const BASE_URL = 'https://walk.example'
const COMMON = { RATE_LIMITS: 'off', USER_AUTH: 'session', PUBLIC_BASE_URL: BASE_URL }
const deployment = useGateway({ env: { ...COMMON, ...line.environment } })
const others: { withoutSecret?: GatewayInstance; wrongSecret?: GatewayInstance } = {}
beforeAll(async () => {
  others.withoutSecret = await deployment.addGateway({
    env: { ...COMMON, ...line.environment, LINE_LOGIN_CHANNEL_SECRET: '' },
  })
  others.wrongSecret = await deployment.addGateway({
    env: { ...COMMON, ...line.environment, LINE_LOGIN_CHANNEL_SECRET: 'another-secret' },
  })
})

const ME = `U${'a'.repeat(32)}`
/** What a page keeps, and what LINE sends it back with. */
async function authorized(userId = ME, redirectUri = `${BASE_URL}/`) {
  const verifier = randomBytes(32).toString('base64url')
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: line.loginChannelId,
    redirect_uri: redirectUri,
    state: 's',
    scope: 'openid profile',
    code_challenge_method: 'S256',
    as: userId,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
  })
  const answer = await fetch(`${line.loginBase}/oauth2/v2.1/authorize?${query}`, { redirect: 'manual' })
  const code = new URL(answer.headers.get('location') ?? '').searchParams.get('code') ?? ''
  return { code, verifier }
}
const post = (body: object, gateway: GatewayInstance | undefined = deployment.gateway) =>
  gateway?.call('/api/event/session', json(body))
const statusOf = async (body: object, gateway?: GatewayInstance) => (await post(body, gateway))?.status

test('a code with its verifier signs in whom LINE authorized, once', async () => {
  const credentials = await authorized()
  expect((await signIn(deployment.gateway, credentials)).body).toMatchObject({ userId: ME, kind: 'line' })
  expect(await statusOf(credentials)).toBe(401)
})

test('an erasure while LINE is asked comes after the sign-in, which says when it began', async () => {
  const credentials = await authorized()
  line.control.faults.order({ kind: 'slow', at: 'token', delayMs: 300 })
  expect(await statusOf(credentials)).toBe(201)
  expect(deployment.services.engagement.sessions.ages.at(-1)).toBeGreaterThanOrEqual(300)
})

test('a stolen code is of no use without the verifier, and none afterwards', async () => {
  const { code, verifier } = await authorized()
  expect(await statusOf({ code, verifier: randomBytes(32).toString('base64url') })).toBe(401)
  expect(await statusOf({ code, verifier })).toBe(401)
})

test('the redirect address must be that of the sign-in page, and ours', async () => {
  const ours = `${deployment.gateway.url}/me`
  expect(await statusOf({ ...(await authorized(ME, ours)), redirectUri: ours })).toBe(201)
  expect(await statusOf({ ...(await authorized(ME, ours)) })).toBe(401)
  const evil = 'https://evil.example/'
  expect(await statusOf({ ...(await authorized(ME, evil)), redirectUri: evil })).toBe(400)
  expect(await statusOf({ ...(await authorized()), redirectUri: 'nonsense' })).toBe(400)
})

test('a code that is ten minutes old is refused', async () => {
  const credentials = await authorized()
  line.control.clock.advance(600_000)
  expect(await statusOf(credentials)).toBe(401)
})

test('while LINE is away, or does not know our secret, signing in is a 503 and no verdict', async () => {
  line.control.faults.order({ kind: 'error', at: 'token', times: 1 })
  expect(await statusOf(await authorized())).toBe(503)
  expect(await statusOf(await authorized(), others.wrongSecret)).toBe(503)
})

test('without the secret of the channel a code is refused with a sentence, and LIFF goes on', async () => {
  const answer = await post(await authorized(), others.withoutSecret)
  expect(answer?.status).toBe(400)
  expect(await answer?.text()).toContain('not set up')
  const liffIdToken = line.control.idTokens.issue({ userId: ME })
  expect(await statusOf({ liffIdToken }, others.withoutSecret)).toBe(201)
})
