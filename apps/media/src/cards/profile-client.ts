import { Profile } from '@palanquin/domain/participant'
import { StoreUnavailable } from '@palanquin/service/http/api-error'
import { anyCopy } from '@palanquin/service/http/copies'
import { INTERNAL_TOKEN_HEADER, REQUEST_ID_HEADER } from '@palanquin/service/http/headers'
import { Compile } from 'typebox/compile'

/** Figures come from a cache within milliseconds; the gateway gives a card ten seconds in all. */
const ASK_DEADLINE_MS = 2_000

/** The profile of a participant as `GET /user/{userId}` answers it; null for an unknown one. */
export type AskProfile = (userId: string, requestId: string) => Promise<Profile | null>

const profile = Compile(Profile)

/**
 * Asks engagement for a participant's figures, so that a card shows what the profile says. `engagementUrl` is
 * `http://host:port` or `unix:/path`, several copies by comma. The function throws StoreUnavailable when engagement is away, late or refuses.
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
  const ask = anyCopy(engagementUrl)
  return async (userId, requestId) => {
    try {
      const answer = await ask(`/user/${userId}`, {
        headers: { [INTERNAL_TOKEN_HEADER]: internalToken, [REQUEST_ID_HEADER]: requestId },
        signal: AbortSignal.timeout(deadlineMs),
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
