import { Profile } from '@palanquin/domain/participant'
import { INTERNAL_TOKEN_HEADER, REQUEST_ID_HEADER } from '@palanquin/service/http/headers'
import { StoreUnavailable } from '@palanquin/service/http/refusal'
import { Compile } from 'typebox/compile'

/** Figures come from a cache within milliseconds; the gateway gives a card ten seconds in all. */
const ASK_DEADLINE_MS = 2_000

/** The profile of a participant as `GET /user/{userId}` answers it; null for an unknown one. */
export type AskProfile = (userId: string, requestId: string) => Promise<Profile | null>

const profile = Compile(Profile)

/**
 * Asks engagement for a participant's figures, so that a card shows what the profile says. `engagementUrl` is
 * `http://host:port` or `unix:/path`. The function throws StoreUnavailable when engagement is away, late or refuses.
 */
export function profilesOf({
  engagementUrl,
  internalToken,
  deadlineMs = ASK_DEADLINE_MS,
}: {
  engagementUrl: string
  internalToken: string
  deadlineMs?: number
}): AskProfile {
  const unix = engagementUrl.startsWith('unix:') ? engagementUrl.slice('unix:'.length) : undefined
  const base = unix ? 'http://engagement' : engagementUrl
  return async (userId, requestId) => {
    try {
      const url = new URL(base)
      url.pathname = `/user/${userId}`
      const answer = await fetch(url, {
        headers: { [INTERNAL_TOKEN_HEADER]: internalToken, [REQUEST_ID_HEADER]: requestId },
        redirect: 'manual',
        signal: AbortSignal.timeout(deadlineMs),
        ...(unix ? { unix } : {}),
      })
      if (answer.status === 404) {
        await answer.arrayBuffer()
        return null
      }
      const body: unknown = await answer.json()
      const data = typeof body === 'object' && body !== null && 'data' in body ? body.data : undefined
      if (!profile.Check(data)) throw new Error(`engagement answered ${answer.status}, and no profile`)
      return data
    } catch (error) {
      throw new StoreUnavailable('profile', error)
    }
  }
}
