import type { Language } from '@palanquin/domain/language'
import { Profile } from '@palanquin/domain/participant'
import { SetupCode } from '@palanquin/domain/setup-link'
import type { ServiceClient } from '@palanquin/service/service-client'
import Type from 'typebox'

const DEADLINE_MS = 3_000
/** A million points, and some thousand pictures. */
const ERASE_DEADLINE_MS = 55_000

export type ParticipantFields = {
  userId: string
  displayName?: string
  pictureUrl?: string
  language?: Language
}

const MadeLink = Type.Object({ code: SetupCode })

/** What a call is for: an event of the chat, and when it happened. */
export type EventTime = { id: string; atMs: number }
export const callFor = ({ id, atMs }: EventTime) => ({ requestId: id, arrivedAt: atMs })

/** The calls of engagement by the bot. All throw StoreUnavailable. */
export function engagementOf(client: ServiceClient) {
  return {
    /** The figures as `GET /user/{userId}` gives them; null for an unknown participant. */
    profile: async (userId: string, requestId: string): Promise<Profile | null> => {
      const path = `/user/${userId}` as const
      const reply = await client.call({ path, requestId, deadlineMs: DEADLINE_MS, reply: Profile })
      return reply.ok ? reply.data : null
    },
    /** Creates the participant, or updates the fields given; false when a field was refused. */
    sync: async (body: ParticipantFields, event: EventTime): Promise<boolean> => {
      const call = { method: 'POST', path: '/user/sync', body, ...callFor(event) } as const
      return (await client.call({ ...call, deadlineMs: DEADLINE_MS, reply: Type.Unknown() })).ok
    },
    /** The code of a link by which an app is set up; null where it was refused. */
    setupCode: async (userId: string, event: EventTime): Promise<string | null> => {
      const call = {
        method: 'POST',
        path: '/setup-links',
        body: { userId },
        asUser: userId,
        ...callFor(event),
      } as const
      const reply = await client.call({ ...call, deadlineMs: DEADLINE_MS, reply: MadeLink })
      return reply.ok ? reply.data.code : null
    },
    /** Erases a participant everywhere, this service included; an unknown one is erased already. */
    erase: async (userId: string, requestId: string): Promise<void> => {
      const call = { method: 'DELETE', path: `/user/${userId}`, asUser: userId, requestId } as const
      const reply = await client.call({ ...call, deadlineMs: ERASE_DEADLINE_MS, reply: Type.Unknown() })
      if (!reply.ok && reply.status !== 404)
        throw new Error(`engagement refused an erasure with ${reply.status}`)
    },
  }
}

export type Engagement = ReturnType<typeof engagementOf>
