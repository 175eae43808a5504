import { ApiError } from '@palanquin/service/http/api-error'
import { type LimitHeaders, NO_LIMIT_HEADERS } from '../response.ts'
import type { Tier } from '../route.ts'

/**
 * The caller: the tier of the token (0 for the public), and the key that counts the token's calls. `actor`: the `userId` of
 * an administrator who is signed in as a person.
 */
export type Caller = {
  tier: Tier
  token: string | undefined
  headers: LimitHeaders
  actor?: string | undefined
}

export const PUBLIC: Caller = { tier: 0, token: undefined, headers: NO_LIMIT_HEADERS }

export const tooLow = new ApiError('forbidden', 'Your role does not allow this.')
