import Type from 'typebox'
import { Compile } from 'typebox/compile'
import type { Neighbour } from './neighbour.ts'

/** A photo is decoded, made smaller and stored. */
const PHOTO_DEADLINE_MS = 15_000
const added = Compile(Type.Object({ count: Type.Integer() }))

/** What the bot asks of media. Throws StoreUnavailable. */
export function mediaOf(ask: Neighbour) {
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
  }
}

export type Media = ReturnType<typeof mediaOf>
