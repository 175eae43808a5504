import type { Language } from '@palanquin/domain/language'
import { StoreUnavailable } from '@palanquin/service/http/api-error'
import type { ServiceClient } from '@palanquin/service/service-client'
import Type from 'typebox'
import { callFor, type EventTime } from './engagement.ts'

/** A photo is decoded, made smaller and stored. */
const PHOTO_DEADLINE_MS = 15_000
/** Drawn when it is first requested. */
const MENU_DEADLINE_MS = 20_000
const Added = Type.Object({ count: Type.Integer() })
const SHARE_DEADLINE_MS = 3_000
const Share = Type.Object({ shareId: Type.String({ pattern: '^[A-Za-z0-9_-]{1,64}$' }) })

/** The calls of media by the bot. All throw StoreUnavailable. */
export function mediaOf(client: ServiceClient) {
  return {
    /** Keeps a photo, once per message; how many there are then, or null when it is no picture. */
    addPhoto: async (
      { userId, messageId, bytes }: { userId: string; messageId: string; bytes: Uint8Array<ArrayBuffer> },
      event: EventTime,
    ): Promise<number | null> => {
      const reply = await client.call({
        method: 'POST',
        path: '/internal/photos',
        query: { userId, messageId },
        body: { bytes, contentType: 'application/octet-stream' },
        ...callFor(event),
        deadlineMs: PHOTO_DEADLINE_MS,
        reply: Added,
      })
      return reply.ok ? reply.data.count : null
    },
    /** By which a participant's card is shared; the same every time. */
    shareId: async (userId: string, requestId: string): Promise<string> => {
      const reply = await client.call({
        method: 'POST',
        path: '/internal/card-shares',
        body: { userId },
        requestId,
        deadlineMs: SHARE_DEADLINE_MS,
        reply: Share,
      })
      if (reply.ok) return reply.data.shareId
      throw new StoreUnavailable('address of the card', reply)
    },
    /** The picture of the rich menu, a PNG. */
    menuPicture: async (language: Language, requestId: string): Promise<Uint8Array<ArrayBuffer>> => {
      const path = `/internal/rich-menu/${language}` as const
      const reply = await client.callBytes({ path, requestId, deadlineMs: MENU_DEADLINE_MS })
      if (reply.ok) return reply.data
      throw new StoreUnavailable('picture of the menu', reply)
    },
  }
}

export type Media = ReturnType<typeof mediaOf>
