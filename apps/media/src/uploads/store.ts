import type { Database, Row } from '@palanquin/db/client'

export type Screenshot = {
  filename: string
  objectKey: string
  userId: string | null
  width: number
  height: number
  bytes: number
}

const ADD = `
INSERT INTO media.screenshots (filename, object_key, user_id, width, height, bytes)
VALUES ($1, $2, $3::text, $4, $5, $6)`

const FIND = 'SELECT object_key FROM media.screenshots WHERE filename = $1'

/** Whose objects they are that stand under public names. All throw StoreUnavailable. */
export function screenshotStore(db: Pick<Database, 'query'>) {
  return {
    /** Only when the object is stored: a row never stands without it. */
    add: async ({ filename, objectKey, userId, width, height, bytes }: Screenshot): Promise<void> => {
      await db.query(ADD, [filename, objectKey, userId, width, height, bytes])
    },
    /** The key of a screenshot's object; null for a name that stands for none. */
    objectKeyOf: async (filename: string): Promise<string | null> => {
      const [row] = await db.query<Row & { object_key: string }>(FIND, [filename])
      return row?.object_key ?? null
    },
  }
}

export type ScreenshotStore = ReturnType<typeof screenshotStore>
