import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { TokenOrder } from './id-tokens.ts'
import { type LineStub, testLine } from './stub.ts'

const userId = `U${'a'.repeat(32)}`
let line: LineStub
beforeAll(() => {
  line = testLine()
})
afterAll(() => line.close())

async function verify(order: Partial<TokenOrder>, more: Record<string, string> = {}) {
  const id_token = line.control.idTokens.issue({ userId, ...order })
  const answer = await fetch(`${line.loginBase}/oauth2/v2.1/verify`, {
    method: 'POST',
    body: new URLSearchParams({ id_token, client_id: line.loginChannelId, ...more }),
  })
  return { status: answer.status, body: await answer.json() }
}
const refused = (error_description: string) => ({
  status: 400,
  body: { error: 'invalid_request', error_description },
})

test('a LIFF token and one of web login are verified, and their claims come back', async () => {
  const claims = { iss: 'https://access.line.me', sub: userId, aud: line.loginChannelId, name: '小明' }
  for (const as of ['ES256', 'HS256'] as const)
    expect(await verify({ as, name: '小明' })).toMatchObject({ status: 200, body: claims })
})

test('a token that is expired, forged, or for another channel is refused as LINE refuses it', async () => {
  expect(await verify({ lifetimeS: -1 })).toEqual(refused('IdToken expired.'))
  expect(await verify({ audience: '1' })).toEqual(refused('Invalid IdToken Audience.'))
  expect(await verify({ issuer: 'https://evil.example' })).toEqual(refused('Invalid IdToken Issuer.'))
  expect(await verify({ nonce: 'a' }, { nonce: 'b' })).toEqual(refused('Invalid IdToken Nonce.'))
  expect(await verify({}, { user_id: 'U1' })).toEqual(refused('Invalid IdToken Subject Identifier.'))
  for (const as of ['other-key', 'unsigned', 'public-key-as-secret', 'altered'] as const)
    expect(await verify({ as })).toEqual(refused('Invalid IdToken.'))
})

test('the published key verifies a token without asking', async () => {
  const { keys } = line.control.idTokens.keys()
  const answer = await fetch(`${line.loginBase}/oauth2/v2.1/certs`)
  expect(await answer.json()).toEqual({ keys })
  const [jwk] = keys
  if (!jwk) throw new Error('no key')
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256' }
  const key = await crypto.subtle.importKey('jwk', jwk, algorithm, false, ['verify'])
  const [head, body, signature = ''] = line.control.idTokens.issue({ userId }).split('.')
  const bytes = new Uint8Array(Buffer.from(signature, 'base64url'))
  const signed = new TextEncoder().encode(`${head}.${body}`)
  expect(await crypto.subtle.verify({ name: 'ECDSA', hash: 'SHA-256' }, key, bytes, signed)).toBe(true)
})
