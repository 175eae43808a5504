import { Profile } from '@palanquin/domain/participant'
import { StoreUnavailable } from '@palanquin/service/http/api-error'
import { serviceClient } from '@palanquin/service/service-client'

/** Figures come from a cache within milliseconds; the gateway gives a card ten seconds in all. */
const PROFILE_DEADLINE_MS = 2_000

/** The profile of a participant as `GET /user/{userId}` has it; null for an unknown one. */
export type GetProfile = (userId: string, requestId: string) => Promise<Profile | null>

/** Profiles from engagement, so that a card shows their figures. @throws StoreUnavailable */
export function profileClient({
  engagementUrl,
  internalToken,
  deadlineMs = PROFILE_DEADLINE_MS,
}: {
  engagementUrl: string
  internalToken: string
  deadlineMs?: number | undefined
}): GetProfile {
  const engagement = serviceClient({ name: 'profile', to: engagementUrl, internalToken })
  return async (userId, requestId) => {
    const reply = await engagement.call({ path: `/user/${userId}`, requestId, deadlineMs, reply: Profile })
    if (reply.ok) return reply.data
    if (reply.status === 404) return null
    throw new StoreUnavailable('profile', new Error(`engagement answered ${reply.status}: ${reply.message}`))
  }
}
