import { Refusal } from '@palanquin/service/http/refusal'
import type { Route, Tier } from '../route.ts'
import { bearerOf } from '../user-auth/id-token.ts'
import type { Verifier } from '../user-auth/verifier.ts'

export const PROOF_HEADER = 'authorization'
/** Administrators of this tier and above write in a participant's name, as they always could (contract section 5). */
const STANDS_IN: Tier = 2

/** Who the caller has proven to be: undefined for nobody, null when nobody asks for it. */
export type Proof = { userId: string | undefined } | null

/** The step before anything of the body is read: 401 for a token that is missing or proves nothing, 503 when LINE alone could tell. */
export type Prove = (route: Route, headers: Headers, tier: Tier) => Promise<Proof | Refusal>

const NOBODY = { userId: undefined }
const missing = new Refusal(
  'unauthorized',
  'This needs the LIFF ID token of the userId, as Authorization: Bearer <token>.',
  { 'www-authenticate': 'Bearer' },
)
const invalid = new Refusal(
  'unauthorized',
  'The ID token is not valid, or has expired. Please open the page in LINE again.',
  { 'www-authenticate': 'Bearer error="invalid_token"' },
)
const foreign = new Refusal('forbidden', 'The ID token is that of another userId.')
const away = new Refusal(
  'unavailable',
  'LINE cannot be asked right now whether the ID token is valid. Please try again shortly.',
)

/** `USER_AUTH=off`: nobody is asked. */
export const openInterface: Prove = async () => null

/** `USER_AUTH=line`. A token that is given is judged, also where the call may name nobody. */
export function prover({ verify }: Pick<Verifier, 'verify'>): Prove {
  return async (route, headers, tier) => {
    if (route.proof === 'none' || tier >= STANDS_IN) return null
    const given = headers.get(PROOF_HEADER)
    if (given === null) return route.userId === 'body?' ? NOBODY : missing
    const token = bearerOf(given)
    if (token === undefined) return invalid
    const verdict = await verify(token)
    if (verdict === 'invalid') return invalid
    return verdict === 'away' ? away : { userId: verdict.userId }
  }
}

/** Whether a proof is good for the `userId` that the call names: 401 without one, 403 with another's. */
export function disproof(proof: Proof, named: string | undefined): Refusal | undefined {
  if (proof === null || named === undefined || proof.userId === named) return undefined
  return proof.userId === undefined ? missing : foreign
}
