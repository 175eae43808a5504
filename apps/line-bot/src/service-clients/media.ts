import type { Language } from '@palanquin/domain/participant'
import { StoreUnavailable } from '@palanquin/service/http/api-error'
import Type from 'typebox'
import { Compile } from 'typebox/compile'
import type { ServiceClient } from './service-client.ts'

/** A photo is decoded, made smaller and stored. */
const PHOTO_DEADLINE_MS = 15_000
/** Drawn when it is first asked for. */
const MENU_DEADLINE_MS = 20_000
const added = Compile(Type.Object({ count: Type.Integer() }))

/** What the bot asks of media. Throws StoreUnavailable. */
export function mediaOf(ask: ServiceClient) {
  return {
    /** Keeps a photo, once per message; how many there are then, or null when it is no picture. */
    addPhoto: async (
      { userId, messageId, bytes }: { userId: string; messageId: string; bytes: Uint8Array<ArrayBuffer> },
      requestId: string,
    ): Promise<number | null> => {
      const answer = await ask({
        method: 'POST',
        path: '/internal/photos',
        query: { userId, messageId },
        body: { bytes, contentType: 'application/octet-stream' },
        requestId,
        deadlineMs: PHOTO_DEADLINE_MS,
      })
      return 'data' in answer && added.Check(answer.data) ? answer.data.count : null
    },
    /** The picture of the rich menu, a PNG. */
    menuPicture: async (language: Language, requestId: string): Promise<Uint8Array<ArrayBuffer>> => {
      const path = `/internal/rich-menu/${language}` as const
      const answer = await ask({ path, requestId, deadlineMs: MENU_DEADLINE_MS, expects: 'bytes' })
      if ('data' in answer && answer.data instanceof Uint8Array) return new Uint8Array(answer.data)
      throw new StoreUnavailable('picture of the menu', answer)
    },
  }
}

export type Media = ReturnType<typeof mediaOf>
