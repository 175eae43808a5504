import { type Answer, type Call, ok } from './answer.ts'

const FORM = 'application/x-www-form-urlencoded'
const invalidRequest = (error_description: string): Answer => ({
  status: 400,
  body: { error: 'invalid_request', error_description },
})

/** `POST /oauth2/v2.1/verify`: the claims of a LIFF ID token, or why it is none. */
export function verifyIdToken({ platform, headers, bytes }: Call): Answer {
  if (!headers.get('content-type')?.startsWith(FORM)) return invalidRequest(`content type must be ${FORM}`)
  const form = new URLSearchParams(new TextDecoder().decode(bytes))
  const [token, clientId] = [form.get('id_token'), form.get('client_id')]
  if (!token) return invalidRequest('id_token is required')
  if (!clientId) return invalidRequest('client_id is required')
  const claims = platform.idTokens.verify(token, {
    clientId,
    nonce: form.get('nonce') ?? undefined,
    userId: form.get('user_id') ?? undefined,
  })
  return 'refused' in claims ? invalidRequest(claims.refused) : ok(claims)
}

/** `GET /oauth2/v2.1/certs`: the public keys of LIFF's ID tokens, to verify them without asking. */
export const certs = ({ platform }: Call): Answer => ({
  ...ok(platform.idTokens.keys()),
  headers: { 'cache-control': 'public, max-age=3600' },
})
