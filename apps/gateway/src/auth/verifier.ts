import { createHash } from 'node:crypto'
import type { Log } from '@palanquin/service/log'
import { singleFlight } from '@palanquin/service/memoize'
import { decodeJwt, decodeProtectedHeader, errors, jwtVerify } from 'jose'
import { ISSUER, isExpired, type TokenUser, tokenUserOf } from './claims.ts'
import { AWAY, type LineLogin } from './line-login.ts'
import { ALGORITHM, PublishedKeys } from './published-keys.ts'
import { type Rejection, VerdictCache } from './verdict-cache.ts'

/** The user of a token, why it is rejected, or `away` when only LINE can decide, and does not respond. */
export type Verdict = TokenUser | Rejection | typeof AWAY

export type Verifier = {
  verify: (token: string) => Promise<Verdict>
  /** The user of a token that was verified before. */
  cachedUserOf: (token: string) => TokenUser | undefined
  cache: VerdictCache
}

/**
 * Verifies LINE's ID tokens. Its claims alone can reject a token: expired, for another channel, of another algorithm.
 * LIFF's tokens (ES256) are verified here against LINE's published keys, those of web login (HS256) under the channel's secret,
 * so that they do not depend on LINE being reachable. Without the secret, or without a fresh list of keys, LINE is asked.
 * A token is judged once at a time, and its verdict is cached until it expires.
 */
export function idTokenVerifier({
  line,
  channelId,
  secret,
  log,
  nowMs = Date.now,
}: {
  line: Pick<LineLogin, 'keys' | 'verify'>
  channelId: string
  /** The channel's, where people also sign in to LINE outside of it. */
  secret?: string | undefined
  log: Log
  nowMs?: () => number
}): Verifier {
  const keys = new PublishedKeys({ line, log, nowMs })
  const cache = new VerdictCache()
  const channelKey = secret === undefined ? undefined : new TextEncoder().encode(secret)
  const judgeOnce = singleFlight<Verdict>()
  const expected = () => ({ channelId, nowMs: nowMs() })

  const verifyByLine = async (token: string): Promise<Verdict> => {
    const claims = await line.verify(token)
    return claims === AWAY ? AWAY : (tokenUserOf(claims, expected()) ?? 'invalid')
  }
  const judge = async (token: string): Promise<Verdict> => {
    const { header, claims } = decode(token)
    const user = tokenUserOf(claims, expected())
    if (!user) return isExpired(claims, expected()) ? 'expired' : 'invalid'
    const verifyBy = async (key: CryptoKey | Uint8Array, algorithm: string): Promise<Verdict> => {
      const currentDate = new Date(nowMs())
      const options = { issuer: ISSUER, audience: channelId, algorithms: [algorithm], currentDate }
      return (await orUndefined(() => jwtVerify(token, key, options))) ? user : 'invalid'
    }
    if (header?.alg === 'HS256') return channelKey ? verifyBy(channelKey, 'HS256') : verifyByLine(token)
    if (header?.alg !== ALGORITHM || typeof header.kid !== 'string') return 'invalid'
    const key = await keys.find(header.kid)
    if (key) return verifyBy(key, ALGORITHM)
    return keys.isFresh ? 'invalid' : verifyByLine(token)
  }
  const judgeAndCache = async (token: string, hash: string): Promise<Verdict> => {
    const verdict = await judge(token)
    if (verdict === 'invalid' || verdict === 'expired') cache.reject(hash, verdict, nowMs())
    else if (verdict !== AWAY) cache.accept(hash, verdict)
    return verdict
  }

  return {
    cache,
    cachedUserOf: (token) => {
      const found = cache.find(hashOf(token), nowMs())
      return typeof found === 'object' ? found : undefined
    },
    verify: async (token) => {
      const hash = hashOf(token)
      return cache.find(hash, nowMs()) ?? judgeOnce(hash, () => judgeAndCache(token, hash))
    },
  }
}

/** What a token says of itself, nothing of it verified. */
function decode(token: string) {
  try {
    return { header: decodeProtectedHeader(token), claims: decodeJwt(token) }
  } catch {
    return { header: undefined, claims: undefined } // not a JSON Web Token: there are no claims to accept
  }
}

/** Undefined where jose refuses the token; any other failure is a bug. */
async function orUndefined<T>(verify: () => Promise<T>): Promise<T | undefined> {
  try {
    return await verify()
  } catch (error) {
    if (error instanceof errors.JOSEError) return undefined
    throw error
  }
}

const hashOf = (token: string): string => createHash('sha256').update(token).digest('base64url')
