import { ApiError } from '@palanquin/service/http/api-error'
import { countedAs } from '@palanquin/service/http/client-address'
import type { RateLimit } from '../rate-limit/rate-limit.ts'
import { Turns } from '../turns.ts'
import type { Verdict, Verifier } from './verifier.ts'

export const USER_TOKEN_HEADER = 'authorization'
/** LINE's tokens have some 600 to 1,000 characters; a header could carry sixteen thousand. */
const CHARACTERS_MAX = 4_096
/** RFC 6750, section 2.1. */
const BEARER = /^Bearer +([A-Za-z0-9._~+/-]+=*) *$/i

const INVALID = 'The ID token is not valid, or has expired. Please open the page in LINE again.'
const BEARER_ERROR = { 'www-authenticate': 'Bearer error="invalid_token"' }
const expired = new ApiError('unauthorized', INVALID, BEARER_ERROR)
const away = new ApiError(
  'unavailable',
  'LINE cannot be asked right now whether the ID token is valid. Please try again shortly.',
)

/** The user of an ID token; 401 for one that is invalid, 429 after many of them, 503 when only LINE can decide. */
export type JudgeIdToken = (
  token: string | undefined,
  client: () => string,
) => Promise<{ userId: string } | ApiError>

/** A signature costs a fraction of a millisecond: the tokens of an address wait for each other, and not those of others. */
const AT_ONCE = { atOnceMax: 4, waitingMax: 2_000 }

/**
 * Judges LINE's ID tokens. A wrong one counts as a guess of its address: after too many of them the next wrong one is 429.
 * Those that have expired, or that only an unreachable LINE could judge, do not count.
 */
export function idTokenJudge({
  verifier,
  limits,
}: {
  verifier: Pick<Verifier, 'verify' | 'cachedUserOf'>
  limits: Pick<RateLimit, 'wrong'>
}): JudgeIdToken {
  const turns = new Turns(AT_ONCE)
  const judge = async (token: string | undefined): Promise<Verdict> =>
    token === undefined || token.length > CHARACTERS_MAX ? 'invalid' : verifier.verify(token)
  return async (token, client) => {
    const cached = verifier.cachedUserOf(token ?? '')
    if (cached) return { userId: cached.userId }
    const address = client()
    const verdict = await turns.take(countedAs(address), () => judge(token))
    if (verdict === undefined || verdict === 'away') return away
    if (verdict === 'expired') return expired
    if (verdict !== 'invalid') return { userId: verdict.userId }
    const counted = await limits.wrong('idTokenGuesses', address)
    return counted instanceof ApiError
      ? counted
      : new ApiError('unauthorized', INVALID, { ...BEARER_ERROR, ...counted.headers })
  }
}

/** The token of an `Authorization: Bearer …`; undefined for anything else, or one that is too long to be LINE's. */
export function bearerOf(authorization: string): string | undefined {
  const token = BEARER.exec(authorization)?.[1]
  return token !== undefined && token.length <= CHARACTERS_MAX ? token : undefined
}
