import { ApiError } from '@palanquin/service/http/api-error'
import { readJsonBody } from '@palanquin/service/http/json-body'
import { body } from '@palanquin/service/http/standard-schema'
import Type, { type Static } from 'typebox'

const text = (maxLength: number, description: string) => Type.String({ minLength: 1, maxLength, description })

/** Body of `POST /session`: one way to sign in. */
export const SignInBody = Type.Object({
  liffIdToken: Type.Optional(text(4_096, 'the ID token that LIFF gives a page in LINE')),
  code: Type.Optional(text(512, 'the authorization code of LINE Login; `verifier` belongs to it')),
  verifier: Type.Optional(text(128, 'the code verifier of PKCE')),
  redirectUri: Type.Optional(
    text(500, 'the address that LINE Login came back to; left out, `<PUBLIC_BASE_URL>/`'),
  ),
  device: Type.Optional(Type.Boolean({ description: 'true: a new participant, for people without LINE' })),
  recoveryCode: Type.Optional(
    text(64, 'moves the walk of a device session here; works once. Spaces, dashes and case do not matter'),
  ),
  attempt: Type.Optional(
    Type.String({
      pattern: '^[A-Za-z0-9_-]{22,128}$',
      description:
        'random letters and digits of the caller beside `recoveryCode` or `device`: the same sent again within 15 minutes, because the answer was lost, is answered again, with another code. Alone: answers a `device` of the caller again, and never makes a participant',
    }),
  ),
  adminToken: Type.Optional(text(512, 'one of the three admin tokens')),
})
type SignInBody = Static<typeof SignInBody>

/** How somebody signs in. */
export type Credentials =
  | { by: 'liff'; idToken: string }
  | { by: 'code'; code: string; verifier: string; redirectUri: string | undefined }
  | { by: 'device'; attempt: string | undefined }
  | { by: 'attempt'; attempt: string }
  | { by: 'recovery'; code: string; attempt: string | undefined }
  | { by: 'admin'; token: string }

const { validate } = body(SignInBody)['~standard']
const EXPECTED = 'liffIdToken, code and verifier, device: true, recoveryCode, attempt, or adminToken'
const noneOrMany = new ApiError('invalid', `body: expected one of ${EXPECTED}`)
const noVerifier = new ApiError('invalid', 'verifier: expected the code verifier of PKCE beside the code')
const noCode = new ApiError('invalid', 'code: expected the authorization code beside the verifier')

/** The credentials of a body; 400 for none, or for more than one: a person should not be signed in as another by accident. */
export function readCredentials(bytes: ArrayBuffer): Credentials | ApiError {
  try {
    return credentialsOf(validate(readJsonBody(bytes)).value)
  } catch (error) {
    if (error instanceof ApiError) return error
    throw error
  }
}

function credentialsOf(given: SignInBody): Credentials | ApiError {
  const { liffIdToken, code, verifier, redirectUri, device, recoveryCode, attempt, adminToken } = given
  if (code !== undefined && verifier === undefined) return noVerifier
  if (code === undefined && verifier !== undefined) return noCode
  const ways: Credentials[] = []
  if (liffIdToken !== undefined) ways.push({ by: 'liff', idToken: liffIdToken })
  if (code !== undefined && verifier !== undefined) ways.push({ by: 'code', code, verifier, redirectUri })
  if (device === true) ways.push({ by: 'device', attempt })
  if (recoveryCode !== undefined) ways.push({ by: 'recovery', code: recoveryCode, attempt })
  if (adminToken !== undefined) ways.push({ by: 'admin', token: adminToken })
  if (ways.length === 0 && attempt !== undefined) ways.push({ by: 'attempt', attempt })
  const [only] = ways
  return only && ways.length === 1 ? only : noneOrMany
}
