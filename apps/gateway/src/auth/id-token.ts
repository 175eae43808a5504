import { ApiError } from '@palanquin/service/http/api-error'
import type { RateLimit } from '../rate-limit/rate-limit.ts'
import type { Route, Tier } from '../route.ts'
import type { Verdict, Verifier } from './verifier.ts'

export const USER_TOKEN_HEADER = 'authorization'
/** Administrators of this tier and above write in a participant's name, as they always could (contract section 5). */
const IMPERSONATION_TIER: Tier = 2
/** LINE's tokens have some 600 to 1,000 characters; a header could carry sixteen thousand. */
const CHARACTERS_MAX = 4_096
/** RFC 6750, section 2.1. */
const BEARER = /^Bearer +([A-Za-z0-9._~+/-]+=*) *$/i

/** The verified user of a call: undefined for an anonymous one, null where no ID token is required. */
export type UserIdentity = { userId: string | undefined } | null

/** Comes before the body is read: 401 for a token that is missing or invalid, 503 when only LINE can decide. */
export type AuthenticateUser = (
  route: Route,
  caller: { headers: Headers; tier: Tier; client: () => string },
) => Promise<UserIdentity | ApiError>

const ANONYMOUS = { userId: undefined }
const missing = new ApiError(
  'unauthorized',
  'This needs the LIFF ID token of the userId, as Authorization: Bearer <token>.',
  { 'www-authenticate': 'Bearer' },
)
const INVALID = 'The ID token is not valid, or has expired. Please open the page in LINE again.'
const BEARER_ERROR = { 'www-authenticate': 'Bearer error="invalid_token"' }
const expired = new ApiError('unauthorized', INVALID, BEARER_ERROR)
const foreign = new ApiError('forbidden', 'The ID token is that of another userId.')
const away = new ApiError(
  'unavailable',
  'LINE cannot be asked right now whether the ID token is valid. Please try again shortly.',
)

/** `USER_AUTH=off`. */
export const noUserAuth: AuthenticateUser = async () => null

/**
 * `USER_AUTH=line`. A token that is given is judged, also where the call may be anonymous. A wrong one counts as a guess
 * of its address: too many of them are 429 before the next is judged. Tokens that are cached, expired, or that only an
 * unreachable LINE could judge do not count.
 */
export function userAuthenticator({
  verifier,
  limits,
}: {
  verifier: Pick<Verifier, 'verify' | 'cachedUserOf'>
  limits: Pick<RateLimit, 'idToken'>
}): AuthenticateUser {
  const judge = async (token: string | undefined): Promise<Verdict> =>
    token === undefined ? 'invalid' : verifier.verify(token)
  return async (route, { headers, tier, client }) => {
    if (route.userAuth === 'none' || tier >= IMPERSONATION_TIER) return null
    const given = headers.get(USER_TOKEN_HEADER)
    if (given === null) return route.userId === 'body?' ? ANONYMOUS : missing
    const token = bearerOf(given)
    const cached = verifier.cachedUserOf(token ?? '')
    if (cached) return { userId: cached.userId }
    const attempt = await limits.idToken(client())
    if (!attempt.allowed) return attempt.apiError
    const verdict = await judge(token)
    if (verdict === 'invalid')
      return new ApiError('unauthorized', INVALID, { ...BEARER_ERROR, ...attempt.headers })
    void attempt.giveBack()
    if (verdict === 'expired') return expired
    return verdict === 'away' ? away : { userId: verdict.userId }
  }
}

/** The error of a call that names another `userId` than its verified one: 401 without a token, 403 with another's. */
export function userMismatch(identity: UserIdentity, named: string | undefined): ApiError | undefined {
  if (identity === null || named === undefined || identity.userId === named) return undefined
  return identity.userId === undefined ? missing : foreign
}

/** The token of an `Authorization: Bearer …`; undefined for anything else, or one that is too long to be LINE's. */
function bearerOf(authorization: string): string | undefined {
  const token = BEARER.exec(authorization)?.[1]
  return token !== undefined && token.length <= CHARACTERS_MAX ? token : undefined
}
