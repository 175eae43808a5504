import type { Database } from '@palanquin/db/client'
import { discardedObjects } from '@palanquin/db/schema/media'
import { asc } from 'drizzle-orm'
import Type from 'typebox'

/** One pass of a sweep; the rest follows with the next. */
const KEYS_PER_PASS = 1_000

/** A list of keys is one parameter: one prepared statement for any number of them. */
const FORGET = 'DELETE FROM media.discarded_objects WHERE object_key = ANY($1::text[])'

const UNKNOWN = `
SELECT object_key AS "objectKey" FROM unnest($1::text[]) AS given (object_key)
 WHERE NOT EXISTS (SELECT 1 FROM media.screenshots AS s WHERE s.object_key = given.object_key)
   AND NOT EXISTS (SELECT 1 FROM media.photos AS p WHERE p.object_key = given.object_key)
   AND NOT EXISTS (SELECT 1 FROM media.imports AS i WHERE i.object_key = given.object_key)`

/** Uploads that were never sent with anything, and those of feedback and cases that are gone. */
const ABANDON = `
WITH abandoned AS (
  DELETE FROM media.screenshots
   WHERE created_at < now() - make_interval(secs => $1)
     AND filename NOT IN (SELECT regexp_replace(screenshot, '\\.png$', '') FROM engagement.feedback WHERE screenshot IS NOT NULL)
     AND filename NOT IN (SELECT regexp_replace(photo, '\\.png$', '') FROM engagement.lost_cases WHERE photo IS NOT NULL)
  RETURNING object_key
)
INSERT INTO media.discarded_objects (object_key) SELECT object_key FROM abandoned ON CONFLICT DO NOTHING`
const Unknown = Type.Object({ objectKey: Type.String() })

/** Objects that nothing refers to. All throw StoreUnavailable. */
export function discardedStore(db: Pick<Database, 'orm' | 'query' | 'queryAs'>) {
  return {
    /** Discarded keys that are not deleted from the object store yet, the oldest first. */
    read: async (): Promise<string[]> => {
      const rows = await db.orm((orm) =>
        orm.select().from(discardedObjects).orderBy(asc(discardedObjects.at)).limit(KEYS_PER_PASS),
      )
      return rows.map(({ objectKey }) => objectKey)
    },
    /** Discards the screenshots that nothing names, older than so many seconds. */
    abandon: async (ageS: number): Promise<void> => {
      await db.query(ABANDON, [ageS])
    },
    forget: async (keys: readonly string[]): Promise<void> => {
      await db.query(FORGET, [keys])
    },
    /** Those of the keys that no screenshot, photo or import has. */
    unknown: async (keys: readonly string[]): Promise<string[]> =>
      (await db.queryAs(Unknown, UNKNOWN, [keys])).map(({ objectKey }) => objectKey),
  }
}

export type DiscardedStore = ReturnType<typeof discardedStore>
