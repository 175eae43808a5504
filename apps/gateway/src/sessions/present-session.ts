import { ApiError } from '@palanquin/service/http/api-error'
import type { RateLimit } from '../rate-limit/rate-limit.ts'
import { sessionTokenOf } from './cookie.ts'
import { hashOf } from './secrets.ts'
import type { Session } from './session.ts'
import type { Sessions } from './sessions.ts'

/** The session of a request's cookie; undefined for none or one that is over, 429 after many made-up ones, 503. */
export type PresentSession = (
  headers: Headers,
  client: () => string,
) => Promise<Session | undefined | ApiError>

const away = new ApiError(
  'unavailable',
  'Your session cannot be verified right now. You are still signed in, and nothing was lost; please try again shortly.',
)

/**
 * A cookie that none of our sessions has counts as a guess of its address, like a wrong ID token; one that is over, or that
 * cannot be looked up now, does not.
 */
export function presentSession({
  sessions,
  limits,
}: {
  sessions: Pick<Sessions, 'cached' | 'find'>
  limits: Pick<RateLimit, 'idToken'>
}): PresentSession {
  return async (headers, client) => {
    const token = sessionTokenOf(headers)
    if (token === undefined) return undefined
    const hash = hashOf(token)
    const cached = sessions.cached(hash)
    if (cached) return cached
    const attempt = await limits.idToken(client())
    if (!attempt.allowed) return attempt.apiError
    const verdict = await sessions.find(hash)
    if (verdict === 'unknown') return undefined
    void attempt.giveBack()
    if (verdict === 'away') return away
    return verdict === 'over' ? undefined : verdict
  }
}
