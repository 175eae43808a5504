import type { Database } from '@palanquin/db/client'
import { screenshots } from '@palanquin/db/schema/media'
import { eq } from 'drizzle-orm'

type Screenshot = typeof screenshots.$inferInsert

/** Screenshots by their public names. All throw StoreUnavailable. */
export function screenshotStore(db: Pick<Database, 'orm'>) {
  return {
    /** After the object is stored: a row always has its object. */
    add: async (screenshot: Screenshot): Promise<void> => {
      await db.orm((orm) => orm.insert(screenshots).values(screenshot))
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
