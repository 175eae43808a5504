import { ApiError } from '@palanquin/service/http/api-error'
import type { RateLimit } from '../rate-limit/rate-limit.ts'
import type { Route, Tier } from '../route.ts'
import { bearerOf } from './read-id-token.ts'
import type { Verdict, Verifier } from './verifier.ts'

export const PROOF_HEADER = 'authorization'
/** Administrators of this tier and above write in a participant's name, as they always could (contract section 5). */
const STANDS_IN: Tier = 2

/** Who the caller has proven to be: undefined for nobody, null when nobody asks for it. */
export type Proof = { userId: string | undefined } | null

/** The step before anything of the body is read: 401 for a token that is missing or proves nothing, 503 when LINE alone could tell. */
export type Prove = (
  route: Route,
  caller: { headers: Headers; tier: Tier; client: () => string },
) => Promise<Proof | ApiError>

const NOBODY = { userId: undefined }
const missing = new ApiError(
  'unauthorized',
  'This needs the LIFF ID token of the userId, as Authorization: Bearer <token>.',
  { 'www-authenticate': 'Bearer' },
)
const INVALID = 'The ID token is not valid, or has expired. Please open the page in LINE again.'
const BEARER = { 'www-authenticate': 'Bearer error="invalid_token"' }
const invalid = new ApiError('unauthorized', INVALID, BEARER)
const foreign = new ApiError('forbidden', 'The ID token is that of another userId.')
const away = new ApiError(
  'unavailable',
  'LINE cannot be asked right now whether the ID token is valid. Please try again shortly.',
)

/** `USER_AUTH=off`: nobody is asked. */
export const openInterface: Prove = async () => null

/**
 * `USER_AUTH=line`. A token that is given is judged, also where the call may name nobody. A wrong one is a guess: an address
 * with too many of them gets 429 before the next is looked at. One that is known to be good is no guess, whoever shares
 * its address; nor is one that has expired, as those of pages that were left open have, or that nobody can tell of now.
 */
export function prover({
  verifier,
  limits,
}: {
  verifier: Pick<Verifier, 'verify' | 'holderOfKnown'>
  limits: Pick<RateLimit, 'idToken'>
}): Prove {
  const judge = async (given: string): Promise<Verdict> => {
    const token = bearerOf(given)
    return token === undefined ? 'invalid' : verifier.verify(token)
  }
  return async (route, { headers, tier, client }) => {
    if (route.proof === 'none' || tier >= STANDS_IN) return null
    const given = headers.get(PROOF_HEADER)
    if (given === null) return route.userId === 'body?' ? NOBODY : missing
    const known = verifier.holderOfKnown(bearerOf(given) ?? '')
    if (known) return { userId: known.userId }
    const place = await limits.idToken(client())
    if (!place.allowed) return place.apiError
    const verdict = await judge(given)
    if (verdict === 'invalid') return new ApiError('unauthorized', INVALID, { ...BEARER, ...place.headers })
    void place.giveBack()
    if (verdict === 'expired') return invalid
    return verdict === 'away' ? away : { userId: verdict.userId }
  }
}

/** Whether a proof is good for the `userId` that the call names: 401 without one, 403 with another's. */
export function disproof(proof: Proof, named: string | undefined): ApiError | undefined {
  if (proof === null || named === undefined || proof.userId === named) return undefined
  return proof.userId === undefined ? missing : foreign
}
