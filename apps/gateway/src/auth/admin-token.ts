import { createHash, timingSafeEqual } from 'node:crypto'
import { ROLE_LEVEL } from '@palanquin/domain/role'
import type { CredentialTags } from '@palanquin/service/credential-tags'
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
const wrongEditToken = new ApiError('unauthorized', 'The edit token is not valid.')
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

/** Judges admin tokens: of an address with too many wrong ones the next wrong one is 429, and a right one is never refused. */
export function adminTokenJudge({
  tokens,
  limits,
}: {
  tokens: Tokens
  limits: Pick<RateLimit, 'wrong'>
}): JudgeAdminToken {
  const tierOf = tierCheck(tokens)
  return async (token, client) => {
    const hash = digest(token)
    const tier = tierOf(hash)
    if (tier !== 0) return { tier, hash }
    const counted = await limits.wrong('guesses', client)
    return counted instanceof ApiError ? counted : new ApiError('unauthorized', wrong, counted.headers)
  }
}

/** Token 401 → tier 403 → admin rate 429 (contract section 1); a session of somebody with a role is as good as a token. */
export function adminAuthenticator({
  judge,
  session,
  limits,
  tags,
}: {
  judge: JudgeAdminToken
  session: AdminSession
  limits: Pick<RateLimit, 'admin'>
  tags: CredentialTags
}): AuthenticateAdmin {
  const byEditToken = (token: string): Caller | ApiError =>
    tags.isTagged('edit token', token) ? PUBLIC : wrongEditToken

  return async (route, headers, client) => {
    const editToken = headers.get(FEEDBACK_TOKEN_HEADER)
    if (route.token === 'feedback-token') return editToken ? byEditToken(editToken) : missingEditToken
    const given = headers.get(TOKEN_HEADER)
    if (!given && editToken && route.token === 'or-feedback-token') return byEditToken(editToken)
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
    return hasSessionCookie(headers) ? session(route, headers, client) : undefined
  }
}

function withoutToken(route: Route, headers: Headers): Caller | ApiError {
  if (route.token === 'optional') return PUBLIC
  if (route.userAuth === 'instead' && (headers.has(USER_TOKEN_HEADER) || hasSessionCookie(headers)))
    return PUBLIC
  return missing
}
