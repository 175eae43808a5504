import type { Database } from '@palanquin/db/client'
import { screenshots } from '@palanquin/db/schema/media'
import { unlessErased } from '@palanquin/db/unless-erased'
import type { Receipt } from '@palanquin/service/erasure-token'
import { eq } from 'drizzle-orm'

/** `receipt`: null without a name. */
type Screenshot = {
  filename: string
  objectKey: string
  userId: string | null
  width: number
  height: number
  bytes: number
  receipt: Receipt | null
}

const ADD = `
INSERT INTO media.screenshots (filename, object_key, user_id, width, height, bytes)
SELECT $1, $2, $3::text, $4::integer, $5::integer, $6::integer WHERE ${unlessErased('$7')} RETURNING filename`

/** Screenshots by their public names. All throw StoreUnavailable. */
export function screenshotStore(db: Pick<Database, 'orm' | 'query'>) {
  return {
    /** After the object is stored: a row always has its object. False where the participant was erased meanwhile. */
    add: async (screenshot: Screenshot): Promise<boolean> => {
      const { filename, objectKey, userId, width, height, bytes, receipt } = screenshot
      const parameters = [filename, objectKey, userId, width, height, bytes, receipt]
      return (await db.query(ADD, parameters)).length > 0
    },
    /** The key of a screenshot's object; null for an unknown name. */
    objectKeyOf: async (filename: string): Promise<string | null> => {
      const [row] = await db.orm((orm) =>
        orm
          .select({ objectKey: screenshots.objectKey })
          .from(screenshots)
          .where(eq(screenshots.filename, filename)),
      )
      return row?.objectKey ?? null
    },
  }
}

export type ScreenshotStore = ReturnType<typeof screenshotStore>
