import { createHash, timingSafeEqual } from 'node:crypto'
import { ROLE_LEVEL } from '@palanquin/domain/role'
import { ApiError } from '@palanquin/service/http/api-error'
import type { Tokens } from '../config/tokens.ts'
import type { RateLimit } from '../rate-limit/rate-limit.ts'
import type { Route, Tier } from '../route.ts'
import { hasSessionCookie } from '../sessions/cookie.ts'
import type { AdminSession } from './admin-session.ts'
import { type Caller, PUBLIC, tooLow } from './caller.ts'
import { USER_TOKEN_HEADER } from './id-token.ts'

const TOKEN_HEADER = 'x-admin-token'
export const FEEDBACK_TOKEN_HEADER = 'x-feedback-token'

export type AuthenticateAdmin = (route: Route, headers: Headers, client: string) => Promise<Caller | ApiError>

const missing = new ApiError(
  'unauthorized',
  'This needs an admin token in the header X-Admin-Token, or the session of somebody with a role.',
)
const missingEditToken = new ApiError('unauthorized', 'This needs the edit token in X-Feedback-Token.')
const wrong = 'The admin token is not valid.'

const digest = (secret: string): Buffer => createHash('sha256').update(secret).digest()

/** The tier of a token, 0 for an unknown one: it always compares all of them, each in constant time. */
function tierCheck(tokens: Tokens): (given: Buffer) => Tier {
  const known = (['owner', 'manager', 'volunteer'] as const).flatMap((role) =>
    tokens[role].map((token) => ({ tier: ROLE_LEVEL[role], digest: digest(token) })),
  )
  return (given) => {
    let tier: Tier = 0
    for (const one of known) if (timingSafeEqual(given, one.digest)) tier = one.tier
    return tier
  }
}

/** The tier of an admin token and its hash; 401 for a wrong one, 429 after too many of them. */
export type JudgeAdminToken = (
  token: string,
  client: string,
) => Promise<{ tier: Exclude<Tier, 0>; hash: Buffer } | ApiError>

/**
 * Judges admin tokens. An address with too many wrong ones gets 429 whatever its next one is. Guesses sent all at once are
 * counted, because a wrong token is counted in the same step in which it is judged.
 */
export function adminTokenJudge({
  tokens,
  limits,
}: {
  tokens: Tokens
  limits: Pick<RateLimit, 'guess'>
}): JudgeAdminToken {
  const tierOf = tierCheck(tokens)
  return async (token, client) => {
    const hash = digest(token)
    const tier = tierOf(hash)
    const guess = await limits.guess(client, { wrong: tier === 0 })
    if (guess instanceof ApiError) return guess
    return tier === 0 ? new ApiError('unauthorized', wrong, guess.headers) : { tier, hash }
  }
}

/** Token 401 → tier 403 → admin rate 429 (contract section 1); a session of somebody with a role is as good as a token. */
export function adminAuthenticator({
  judge,
  session,
  limits,
}: {
  judge: JudgeAdminToken
  session: AdminSession
  limits: Pick<RateLimit, 'admin'>
}): AuthenticateAdmin {
  return async (route, headers, client) => {
    if (route.token === 'feedback-token')
      return headers.get(FEEDBACK_TOKEN_HEADER) ? PUBLIC : missingEditToken
    const given = headers.get(TOKEN_HEADER)
    if (!given) return (await bySession(route, headers, client)) ?? withoutToken(route, headers)
    const judged = await judge(given, client)
    if (judged instanceof ApiError) return judged
    const { tier, hash } = judged
    if (tier < route.tier) return tooLow
    const token = hash.toString('base64url')
    const rate = await limits.admin(token)
    return rate instanceof ApiError ? rate : { tier, token, headers: rate.headers }
  }

  /** A cookie counts only where no token of another kind is given. */
  async function bySession(route: Route, headers: Headers, client: string) {
    if (!hasSessionCookie(headers)) return undefined
    if (route.token === 'or-feedback-token' && headers.has(FEEDBACK_TOKEN_HEADER)) return undefined
    return session(route, headers, client)
  }
}

function withoutToken(route: Route, headers: Headers): Caller | ApiError {
  if (route.token === 'optional') return PUBLIC
  if (route.userAuth === 'instead' && (headers.has(USER_TOKEN_HEADER) || hasSessionCookie(headers)))
    return PUBLIC
  if (route.token === 'or-feedback-token' && headers.get(FEEDBACK_TOKEN_HEADER)) return PUBLIC
  return missing
}
