import type { CredentialTags } from '@palanquin/service/credential-tags'
import { ApiError } from '@palanquin/service/http/api-error'
import { countedAs } from '@palanquin/service/http/client-address'
import type { RateLimit } from '../rate-limit/rate-limit.ts'
import { Turns } from '../turns.ts'
import { sessionTokenOf } from './cookie.ts'
import { hashOf } from './secrets.ts'
import type { Session } from './session.ts'
import type { Sessions } from './sessions.ts'

/** The session of a request's cookie; undefined for none or one that is over, 429 for a made-up one after many, 503. */
export type PresentSession = (
  headers: Headers,
  client: () => string,
) => Promise<Session | undefined | ApiError>

const away = new ApiError(
  'unavailable',
  'Your session cannot be verified right now. You are still signed in, and nothing was lost; please try again shortly.',
)

/** A gateway that has just started looks up all of a village: by its address, so that no other waits for it. */
const AT_ONCE = { atOnceMax: 32, waitingMax: 2_000 }

/** A cookie that we did not issue counts as a guess of its address; one that is over, or cannot be looked up now, does not. */
export function presentSession({
  sessions,
  limits,
  tags,
}: {
  sessions: Pick<Sessions, 'cached' | 'find'>
  limits: Pick<RateLimit, 'wrong'>
  tags: CredentialTags
}): PresentSession {
  const turns = new Turns(AT_ONCE)
  return async (headers, client) => {
    const token = sessionTokenOf(headers)
    if (token === undefined) return undefined
    const hash = hashOf(token)
    const cached = sessions.cached(hash)
    if (cached) return cached
    const address = client()
    if (!tags.isTagged('session', token)) {
      const counted = await limits.wrong('sessionGuesses', address)
      return counted instanceof ApiError ? counted : undefined
    }
    const verdict = await turns.take(countedAs(address), () => sessions.find(hash))
    if (verdict === undefined || verdict === 'away') return away
    return typeof verdict === 'string' ? undefined : verdict
  }
}
