import { type Language, Profile } from '@palanquin/domain/participant'
import { Compile } from 'typebox/compile'
import type { ServiceClient } from './service-client.ts'

const DEADLINE_MS = 3_000
/** A million points, and some thousand pictures. */
const ERASE_DEADLINE_MS = 55_000

export type ParticipantFields = {
  userId: string
  displayName?: string
  pictureUrl?: string
  language?: Language
}

const profile = Compile(Profile)

/** What the bot asks of engagement. All throw StoreUnavailable. */
export function engagementOf(ask: ServiceClient) {
  return {
    /** The figures as `GET /user/{userId}` gives them; null for somebody unknown. */
    profile: async (userId: string, requestId: string): Promise<Profile | null> => {
      const answer = await ask({ path: `/user/${userId}`, requestId, deadlineMs: DEADLINE_MS })
      return 'data' in answer && profile.Check(answer.data) ? answer.data : null
    },
    /** Creates the participant, or updates the fields given; false when a field was refused. */
    sync: async (person: ParticipantFields, requestId: string): Promise<boolean> => {
      const call = { method: 'POST', path: '/user/sync', body: person } as const
      return 'data' in (await ask({ ...call, requestId, deadlineMs: DEADLINE_MS }))
    },
    /** Erases a participant everywhere at their own word, this service included; nobody to erase is as good. */
    erase: async (userId: string, requestId: string): Promise<void> => {
      const call = { method: 'DELETE', path: `/user/${userId}`, asUser: userId } as const
      const answer = await ask({ ...call, requestId, deadlineMs: ERASE_DEADLINE_MS })
      if ('refused' in answer && answer.refused !== 404)
        throw new Error(`engagement refused an erasure with ${answer.refused}`)
    },
  }
}

export type Engagement = ReturnType<typeof engagementOf>
