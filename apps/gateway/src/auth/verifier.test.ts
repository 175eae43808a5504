import { afterEach, beforeEach, expect, describe as group, test } from 'bun:test'
import { type LineStub, testLine } from '@palanquin/line-simulator/stub'
import { capturedLog } from '@palanquin/testing/captured-log'
import { type TestClock, testClock } from '@palanquin/testing/clock'
import { LineLogin } from './line-login.ts'
import { idTokenVerifier, type Verifier } from './verifier.ts'

const userId = `U${'a'.repeat(32)}`
const HOUR_S = 3_600
const MINUTE_MS = 60_000

let clock: TestClock
let line: LineStub
let verifier: Verifier
let lines: ReturnType<typeof capturedLog>['lines']

beforeEach(() => {
  clock = testClock()
  line = testLine({ now: clock.now })
  const captured = capturedLog()
  lines = captured.lines
  const { loginBase: base, loginChannelId: channelId } = line
  const login = new LineLogin({ base, channelId, log: captured.log })
  verifier = idTokenVerifier({ line: login, channelId, log: captured.log, nowMs: clock.now })
})
afterEach(() => line.close())

type Order = Parameters<LineStub['control']['idTokens']['issue']>[0]
const issue = (order: Partial<Order> = {}) => line.control.idTokens.issue({ userId, ...order })
/** How often LINE was asked. */
const asked = () => {
  const endpoints = line.control.calls().map(({ endpoint }) => endpoint)
  const count = (name: string) => endpoints.filter((endpoint) => endpoint === name).length
  return { certs: count('certs'), verify: count('verify') }
}
const user = (lifetimeS = HOUR_S) => ({
  userId,
  untilMs: clock.now() + lifetimeS * 1_000 - (clock.now() % 1_000),
})

group('a good token', () => {
  test('of LIFF is verified by LINE’s published keys, which are loaded once for all tokens', async () => {
    const verdicts = await Promise.all(
      Array.from({ length: 20 }, (_, i) => verifier.verify(issue({ nonce: `${i}` }))),
    )
    for (const verdict of verdicts) expect(verdict).toEqual(user())
    expect(asked()).toEqual({ certs: 1, verify: 0 })
  })

  test('of web login is verified by LINE, once for any number of calls', async () => {
    const token = issue({ as: 'HS256' })
    const verdicts = await Promise.all(Array.from({ length: 20 }, () => verifier.verify(token)))
    for (const verdict of verdicts) expect(verdict).toEqual(user())
    expect(await verifier.verify(token)).toEqual(user())
    expect(asked()).toEqual({ certs: 0, verify: 1 })
  })

  test.each(['ES256', 'HS256'] as const)(
    'of %s is invalid from the second in which it expires',
    async (as) => {
      const token = issue({ as, lifetimeS: 100 })
      const { untilMs } = user(100)
      expect(await verifier.verify(token)).toEqual({ userId, untilMs })
      clock.set(untilMs - 1)
      expect(await verifier.verify(token)).toEqual({ userId, untilMs })
      clock.set(untilMs)
      expect(await verifier.verify(token)).toBe('expired')
      expect(await verifier.verify(token)).toBe('expired')
    },
  )
})

group('an invalid token', () => {
  const jwt = (header: unknown, claims: unknown, signature = 'c2ln') =>
    [header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.') +
    `.${signature}`
  const claims = () => ({
    iss: 'https://access.line.me',
    sub: userId,
    aud: line.loginChannelId,
    exp: 9_999_999_999,
  })

  const OFFERED: Record<string, () => string> = {
    expired: () => issue({ lifetimeS: 0 }),
    'expired, of web login': () => issue({ lifetimeS: -1, as: 'HS256' }),
    'for another channel': () => issue({ audience: '1656999999' }),
    'of another issuer': () => issue({ issuer: 'https://access.line.me.evil.example' }),
    'signed by another key under the same id': () => issue({ as: 'other-key' }),
    'not signed': () => issue({ as: 'unsigned' }),
    'not signed, with a key': () => jwt({ alg: 'none', kid: 'x' }, claims()),
    'another subject under a true signature': () => issue({ as: 'altered' }),
    'with its signature cut short': () => issue().slice(0, -8),
    'with its signature cut off': () => issue().replace(/[^.]*$/, ''),
    'of an algorithm that LINE does not use': () => jwt({ alg: 'RS256', kid: 'x' }, claims()),
    'whose subject is no userId': () => issue({ userId: 'a b' }),
    'with a list of channels': () =>
      jwt({ alg: 'ES256', kid: 'x' }, { ...claims(), aud: [line.loginChannelId] }),
    'with an expiry in words': () => jwt({ alg: 'ES256', kid: 'x' }, { ...claims(), exp: '9999999999' }),
    'without a key’s id': () => jwt({ alg: 'ES256' }, claims()),
    'whose header is null': () => jwt(null, claims()),
    'whose claims are a text': () => jwt({ alg: 'ES256', kid: 'x' }, 'claims'),
    'out of date, for another channel': () => issue({ lifetimeS: -1, audience: '1656999999' }),
    'no JSON': () => 'aaaa.bbbb.cccc',
    'no token at all': () => 'letmein',
  }
  test.each(Object.keys(OFFERED))('%s: is rejected without a request to LINE', async (name) => {
    const token = OFFERED[name]?.() ?? ''
    const why = name.startsWith('expired') ? 'expired' : 'invalid'
    expect(await verifier.verify(token)).toBe(why)
    expect(await verifier.verify(token)).toBe(why)
    expect(asked().verify).toBe(0)
  })

  test('an HMAC under LINE’s public key is rejected by LINE itself, with one request in five seconds', async () => {
    const token = issue({ as: 'public-key-as-secret' })
    for (let i = 0; i < 5; i++) expect(await verifier.verify(token)).toBe('invalid')
    expect(asked()).toEqual({ certs: 0, verify: 1 })
    clock.advance(5_000)
    expect(await verifier.verify(token)).toBe('invalid')
    expect(asked().verify).toBe(2)
  })
})

group('LINE’s keys', () => {
  test('a token of a new key is verified: the keys are loaded again', async () => {
    await verifier.verify(issue())
    line.control.idTokens.rotate()
    clock.advance(MINUTE_MS)
    expect(await verifier.verify(issue())).toEqual(user())
    expect(asked()).toEqual({ certs: 2, verify: 0 })
  })

  test('made-up key ids load the keys once in five seconds at most, and LINE verifies none of them', async () => {
    await verifier.verify(issue())
    line.control.idTokens.rotate()
    clock.advance(5_001)
    const token = issue()
    expect(await verifier.verify(token)).toEqual(user())
    expect(asked()).toEqual({ certs: 2, verify: 0 })
    for (let i = 0; i < 5; i++) {
      const [, ...rest] = token.split('.')
      const head = Buffer.from(JSON.stringify({ alg: 'ES256', kid: `made-up-${i}` })).toString('base64url')
      expect(await verifier.verify([head, ...rest].join('.'))).toBe('invalid')
    }
    expect(asked()).toEqual({ certs: 2, verify: 0 })
  })

  test('a key that LINE withdraws verifies nothing after an hour', async () => {
    const old = issue({ lifetimeS: 3 * HOUR_S, nonce: 'a' })
    const other = issue({ lifetimeS: 3 * HOUR_S, nonce: 'b' })
    expect(await verifier.verify(old)).toMatchObject({ userId })
    line.control.idTokens.rotate()
    clock.advance(HOUR_S * 1_000)
    await verifier.verify(issue({ nonce: 'c' }))
    expect(await verifier.verify(other)).toBe('invalid')
  })
})

group('LINE away', () => {
  test('cached tokens and new LIFF tokens are verified; only tokens that LINE alone can verify must wait', async () => {
    const known = issue({ as: 'HS256', nonce: 'a' })
    await verifier.verify(known)
    await verifier.verify(issue())
    line.control.faults.order({ kind: 'error', times: 2 })
    expect(await verifier.verify(known)).toEqual(user())
    expect(await verifier.verify(issue({ nonce: 'new' }))).toEqual(user())
    const unknown = issue({ as: 'HS256', nonce: 'b' })
    expect(await verifier.verify(unknown)).toBe('away')
    expect(await verifier.verify(unknown)).toBe('away')
    expect(await verifier.verify(unknown)).toEqual(user())
  })

  test('from the start: no token is accepted, invalid claims are rejected, and it is logged once, without a token', async () => {
    const tokens = [issue({ nonce: 'a' }), issue({ nonce: 'b' }), issue({ as: 'HS256' })]
    const expired = issue({ lifetimeS: -1 })
    await line.close()
    for (const token of tokens) expect(await verifier.verify(token)).toBe('away')
    expect(await verifier.verify(expired)).toBe('expired')
    expect(lines.filter(({ level }) => level === 'warn')).toHaveLength(1)
    for (const token of [...tokens, expired])
      for (const part of token.split('.')) expect(JSON.stringify(lines)).not.toContain(part)
  })
})
