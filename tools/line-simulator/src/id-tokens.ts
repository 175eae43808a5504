import {
  createHmac,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
  timingSafeEqual,
  verify,
} from 'node:crypto'
import { newToken } from './ids.ts'
import { isRecord } from './is-record.ts'

const ISSUER = 'https://access.line.me'
const LIFETIME_S = 3_600
/** ECDSA signatures stand in a JWT as two plain numbers, not as DER (RFC 7518, section 3.4). */
const DSA_ENCODING = 'ieee-p1363'

/** `ES256` as LIFF gives it, `HS256` as web login does, signed by the channel secret. */
export const TOKEN_KINDS = [
  'ES256',
  'HS256',
  'other-key',
  'unsigned',
  'public-key-as-secret',
  'altered',
] as const

export type TokenOrder = {
  userId: string
  /** The channel that the token is for; left out, the stub's login channel. */
  audience?: string
  issuer?: string
  /** From now; a negative one has expired. */
  lifetimeS?: number
  nonce?: string
  name?: string
  as?: (typeof TOKEN_KINDS)[number]
}
export type Claims = {
  iss: string
  sub: string
  aud: string
  exp: number
  iat: number
  nonce?: string
  name?: string
}
type Expected = { clientId: string; nonce?: string | undefined; userId?: string | undefined }

/** LINE Login's ID tokens: issued, published as keys, and verified as `POST /oauth2/v2.1/verify` does. */
export function createIdTokens({
  now,
  channelId,
  channelSecret,
}: {
  now: () => number
  channelId: string
  channelSecret: string
}) {
  let key = newKey()
  const claimsOf = (order: TokenOrder): Claims => {
    const iat = Math.floor(now() / 1_000)
    const { userId, audience = channelId, issuer = ISSUER, lifetimeS = LIFETIME_S, nonce, name } = order
    const optional = { ...(nonce === undefined ? {} : { nonce }), ...(name === undefined ? {} : { name }) }
    return { iss: issuer, sub: userId, aud: audience, exp: iat + lifetimeS, iat, ...optional }
  }
  return {
    issue: (order: TokenOrder): string => {
      const { as = 'ES256' } = order
      const claims = claimsOf(order)
      const publicPem = createPublicKey(key.private).export({ type: 'spki', format: 'pem' })
      if (as === 'unsigned') return `${encoded({ alg: 'none', typ: 'JWT' })}.${encoded(claims)}.`
      if (as === 'HS256') return hmacToken(claims, channelSecret)
      if (as === 'public-key-as-secret') return hmacToken(claims, publicPem)
      if (as === 'other-key') return ecToken(claims, { ...newKey(), id: key.id })
      const [head, , signature] = ecToken(claims, key).split('.')
      return as === 'altered'
        ? `${head}.${encoded({ ...claims, sub: `U${newToken()}` })}.${signature}`
        : ecToken(claims, key)
    },
    /** What `GET /oauth2/v2.1/certs` answers. */
    keys: () => ({
      keys: [
        { ...createPublicKey(key.private).export({ format: 'jwk' }), kid: key.id, alg: 'ES256', use: 'sig' },
      ],
    }),
    /** Another key from now on; tokens of the old one are refused. */
    rotate: (): void => {
      key = newKey()
    },
    /** The claims of a good token, or LINE's `error_description`. */
    verify: (token: string, expected: Expected): Claims | { refused: string } => {
      const claims = verified(token, { key, channelSecret })
      if (!claims) return { refused: 'Invalid IdToken.' }
      if (claims.iss !== ISSUER) return { refused: 'Invalid IdToken Issuer.' }
      if (claims.exp * 1_000 <= now()) return { refused: 'IdToken expired.' }
      if (claims.aud !== expected.clientId) return { refused: 'Invalid IdToken Audience.' }
      if (expected.nonce !== undefined && claims.nonce !== expected.nonce)
        return { refused: 'Invalid IdToken Nonce.' }
      if (expected.userId !== undefined && claims.sub !== expected.userId)
        return { refused: 'Invalid IdToken Subject Identifier.' }
      return claims
    },
  }
}

type Key = { id: string; private: KeyObject }
const newKey = (): Key => ({
  id: newToken(),
  private: generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey,
})

const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')

function ecToken(claims: Claims, key: Key): string {
  const signed = `${encoded({ alg: 'ES256', typ: 'JWT', kid: key.id })}.${encoded(claims)}`
  const signature = sign('sha256', Buffer.from(signed), { key: key.private, dsaEncoding: DSA_ENCODING })
  return `${signed}.${signature.toString('base64url')}`
}

function hmacToken(claims: Claims, secret: string | Buffer): string {
  const signed = `${encoded({ alg: 'HS256', typ: 'JWT' })}.${encoded(claims)}`
  return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`
}

function verified(
  token: string,
  { key, channelSecret }: { key: Key; channelSecret: string },
): Claims | undefined {
  const [head = '', body = '', signature = '', more] = token.split('.')
  const header = decoded(head)
  const claims = decoded(body)
  if (more !== undefined || !isRecord(header) || !isClaims(claims)) return undefined
  const bytes = Buffer.from(signature, 'base64url')
  const signed = Buffer.from(`${head}.${body}`)
  const publicKey = { key: createPublicKey(key.private), dsaEncoding: DSA_ENCODING } as const
  const isTrue =
    header.alg === 'ES256'
      ? header.kid === key.id && verify('sha256', signed, publicKey, bytes)
      : header.alg === 'HS256' && isSame(bytes, createHmac('sha256', channelSecret).update(signed).digest())
  return isTrue ? claims : undefined
}

const isSame = (a: Buffer, b: Buffer): boolean => a.length === b.length && timingSafeEqual(a, b)

function decoded(part: string): unknown {
  try {
    return JSON.parse(Buffer.from(part, 'base64url').toString('utf8'))
  } catch {
    return undefined // no JWT
  }
}

const isClaims = (value: unknown): value is Claims =>
  isRecord(value) &&
  ['iss', 'sub', 'aud'].every((name) => typeof value[name] === 'string') &&
  ['exp', 'iat'].every((name) => typeof value[name] === 'number')
