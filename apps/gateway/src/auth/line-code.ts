import { ApiError } from '@palanquin/service/http/api-error'
import { countedAs } from '@palanquin/service/http/client-address'
import type { RateLimit } from '../rate-limit/rate-limit.ts'
import type { IsOwnOrigin } from '../sessions/own-origin.ts'
import { Turns } from '../turns.ts'
import type { JudgeIdToken } from './id-token.ts'
import { AWAY, type LineLogin } from './line-login.ts'

type Code = { code: string; verifier: string; redirectUri: string | undefined }

/** The user of an authorization code of LINE Login; 400, 401, 429 or 503 for one that is of no use. */
export type JudgeLineCode = (code: Code, client: () => string) => Promise<{ userId: string } | ApiError>

const rejected = new ApiError(
  'unauthorized',
  'LINE does not accept this code: it was used, is too old, or belongs to another verifier. Please sign in again.',
)
const noRedirect = new ApiError(
  'invalid',
  'redirectUri: expected the https address that LINE Login came back to',
)
const away = new ApiError(
  'unavailable',
  'LINE cannot be asked right now. Please sign in again shortly; nothing was lost.',
)

/** LINE alone can judge a code: an address has a part of the calls of it. */
const AT_ONCE = { atOnceMax: 4, waitingMax: 200 }

/**
 * Exchanges codes at LINE, each under its verifier (PKCE), and judges the ID token that comes back. LINE compares the
 * redirect address with that of the sign-in page; here it must be one of ours all the same.
 */
export function lineCodeJudge({
  line,
  secret,
  baseUrl,
  isOwnOrigin,
  judge,
  limits,
}: {
  line: Pick<LineLogin, 'exchange'>
  secret: string
  baseUrl: string | undefined
  isOwnOrigin: IsOwnOrigin
  judge: JudgeIdToken
  limits: Pick<RateLimit, 'wrong'>
}): (headers: Headers) => JudgeLineCode {
  const turns = new Turns(AT_ONCE)
  return (headers) => {
    /** As if a page at that address had sent the request. */
    const isOurs = (uri: string): boolean => {
      const { origin } = URL.parse(uri) ?? {}
      return origin !== undefined && isOwnOrigin(withOrigin(headers, origin))
    }
    return async ({ code, verifier, redirectUri = defaultRedirect(baseUrl) }, client) => {
      if (redirectUri === undefined || !isOurs(redirectUri)) return noRedirect
      const address = client()
      const exchange = () => line.exchange({ code, verifier, redirectUri, secret })
      const idToken = await turns.take(countedAs(address), async () => ({ is: await exchange() }))
      if (idToken === undefined || idToken.is === AWAY) return away
      if (idToken.is !== undefined) return judge(idToken.is, client)
      const counted = await limits.wrong('idTokenGuesses', address)
      return counted instanceof ApiError ? counted : rejected
    }
  }
}

const defaultRedirect = (baseUrl: string | undefined): string | undefined =>
  baseUrl === undefined ? undefined : URL.parse('/', baseUrl)?.href

function withOrigin(headers: Headers, origin: string): Headers {
  const changed = new Headers({ origin })
  const host = headers.get('host')
  if (host !== null) changed.set('host', host)
  return changed
}
