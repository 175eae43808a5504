import { ApiError } from '@palanquin/service/http/api-error'
import type { Tier } from '../route.ts'

/**
 * The caller: the tier of the token (0 for the public), and the key that counts the token's calls. `actor`: the `userId` of
 * an administrator who is signed in as a person.
 */
export type Caller = {
  tier: Tier
  token: string | undefined
  headers: Record<string, string>
  actor?: string | undefined
}

export const PUBLIC: Caller = { tier: 0, token: undefined, headers: {} }

export const tooLow = new ApiError('forbidden', 'Your role does not allow this.')
