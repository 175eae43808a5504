import { createHash, timingSafeEqual } from 'node:crypto'
import { ROLE_LEVEL } from '@palanquin/domain/role'
import { ApiError } from '@palanquin/service/http/api-error'
import type { Tokens } from '../config/tokens.ts'
import type { RateLimit } from '../rate-limit/rate-limit.ts'
import type { Route, Tier } from '../route.ts'
import { USER_TOKEN_HEADER } from './id-token.ts'

const TOKEN_HEADER = 'x-admin-token'
export const FEEDBACK_TOKEN_HEADER = 'x-feedback-token'

/** The caller: the tier of the token (0 for the public), and the key that counts the token's calls. */
export type Caller = { tier: Tier; token: string | undefined; headers: Record<string, string> }

export type AuthenticateAdmin = (route: Route, headers: Headers, client: string) => Promise<Caller | ApiError>

export const PUBLIC: Caller = { tier: 0, token: undefined, headers: {} }
const missing = new ApiError('unauthorized', 'This needs an admin token in the header X-Admin-Token.')
const wrong = 'The admin token is not valid.'
const tooLow = new ApiError('forbidden', 'Your role does not allow this.')

const digest = (secret: string): Buffer => createHash('sha256').update(secret).digest()

/** The tier of a token, 0 for an unknown one. Always compares all of them, each in constant time. */
function tokenTiers(tokens: Tokens): (given: Buffer) => Tier {
  const known = (['owner', 'manager', 'volunteer'] as const).flatMap((role) =>
    tokens[role].map((token) => ({ tier: ROLE_LEVEL[role], digest: digest(token) })),
  )
  return (given) => {
    let tier: Tier = 0
    for (const one of known) if (timingSafeEqual(given, one.digest)) tier = one.tier
    return tier
  }
}

/**
 * Token 401 → tier 403 → admin rate 429 (contract section 1). A missing token is no guess; a wrong one is, and an address
 * with too many of them gets 429 whatever its token is. Guesses sent all at once are counted, because a wrong token is
 * counted in the same step in which it is judged.
 */
export function adminAuthenticator({
  tokens,
  limits,
}: {
  tokens: Tokens
  limits: RateLimit
}): AuthenticateAdmin {
  const tierOf = tokenTiers(tokens)
  return async (route, headers, client) => {
    const given = headers.get(TOKEN_HEADER)
    if (!given) return withoutToken(route, headers)
    const hash = digest(given)
    const tier = tierOf(hash)
    const guess = await limits.guess(client, { wrong: tier === 0 })
    if (guess instanceof ApiError) return guess
    if (tier === 0) return new ApiError('unauthorized', wrong, guess.headers)
    if (tier < route.tier) return tooLow
    const token = hash.toString('base64url')
    const rate = await limits.admin(token)
    return rate instanceof ApiError ? rate : { tier, token, headers: rate.headers }
  }
}

function withoutToken(route: Route, headers: Headers): Caller | ApiError {
  if (route.token === 'optional') return PUBLIC
  if (route.userAuth === 'instead' && headers.has(USER_TOKEN_HEADER)) return PUBLIC
  if (route.token === 'or-feedback-token' && headers.get(FEEDBACK_TOKEN_HEADER)) return PUBLIC
  return missing
}
