import { newToken } from '../ids.ts'
import { type Answer, type Call, ok } from './answer.ts'

const FORM = 'application/x-www-form-urlencoded'
const invalidRequest = (error_description: string): Answer => ({
  status: 400,
  body: { error: 'invalid_request', error_description },
})

/** The sign-in page has one row for each person, who signs in by a click. */
const signInPage = (rows: string): Answer => ({
  status: 200,
  contentType: 'text/html; charset=utf-8',
  body: new TextEncoder().encode(
    `<!doctype html><title>LINE Login (stub)</title><h1>LINE Login (stub)</h1><ul>${rows}</ul>`,
  ),
})
const escaped = (text: string): string => Bun.escapeHTML(text)

/** `GET /oauth2/v2.1/authorize` (at LINE on access.line.me). `as=<userId>` chooses at once. */
export function authorize({ platform, query }: Call): Answer {
  const get = (name: string) => query.get(name) ?? ''
  const [redirectUri, codeChallenge, state] = [get('redirect_uri'), get('code_challenge'), get('state')]
  if (get('response_type') !== 'code' || get('client_id') !== platform.channel.loginChannelId)
    return invalidRequest('response_type must be code, and client_id that of the channel')
  if (!URL.canParse(redirectUri) || get('code_challenge_method') !== 'S256' || !codeChallenge || !state)
    return invalidRequest('redirect_uri, state, code_challenge and code_challenge_method=S256 are required')
  const userId = get('as')
  if (userId === '') {
    const people = platform.people.all().map(({ userId, displayName }) => {
      const link = new URLSearchParams(query)
      link.set('as', userId)
      return `<li><a href="?${escaped(link.toString())}">${escaped(displayName)}</a></li>`
    })
    return signInPage(people.join(''))
  }
  const nonce = query.get('nonce')
  const back = new URL(redirectUri)
  const order = { userId, redirectUri, codeChallenge, ...(nonce === null ? {} : { nonce }) }
  back.searchParams.set('code', platform.loginCodes.issue(order))
  back.searchParams.set('state', state)
  return { status: 302, body: {}, headers: { location: back.href } }
}

/** `POST /oauth2/v2.1/token`: an authorization code for tokens. */
export function exchangeCode({ platform, headers, bytes }: Call): Answer {
  if (!headers.get('content-type')?.startsWith(FORM)) return invalidRequest(`content type must be ${FORM}`)
  const form = new URLSearchParams(new TextDecoder().decode(bytes))
  const get = (name: string) => form.get(name) ?? ''
  const { loginChannelId, channelSecret } = platform.channel
  if (get('grant_type') !== 'authorization_code') return invalidRequest('grant_type is invalid')
  if (get('client_id') !== loginChannelId || get('client_secret') !== channelSecret)
    return { status: 401, body: { error: 'invalid_client', error_description: 'invalid client_secret' } }
  const exchange = { code: get('code'), redirectUri: get('redirect_uri'), verifier: get('code_verifier') }
  const order = platform.loginCodes.exchange(exchange)
  if ('refused' in order)
    return { status: 400, body: { error: 'invalid_grant', error_description: order.refused } }
  const { userId, nonce } = order
  const optional = nonce === undefined ? {} : { nonce }
  return ok({
    access_token: newToken(),
    refresh_token: newToken(),
    token_type: 'Bearer',
    expires_in: 2_592_000,
    scope: 'profile openid',
    id_token: platform.idTokens.issue({ userId, as: 'HS256', ...optional }),
  })
}

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
