import type { Database } from '@palanquin/db/client'
import Type, { type Static } from 'typebox'
import type { PhotoCounts } from '../photos/counts.ts'

/**
 * Photos, uploaded screenshots, those of their feedback and of cases about them; the keys of the objects are stored until the object store has
 * deleted them. Feedback must still exist: it alone knows whose a screenshot without a userId is.
 */
const ERASE = `
WITH photo AS (
  DELETE FROM media.photos WHERE user_id = $1 RETURNING object_key
), counted AS (
  DELETE FROM media.photo_counts WHERE user_id = $1
), screenshot AS (
  DELETE FROM media.screenshots
  WHERE user_id = $1 OR filename IN (
    SELECT regexp_replace(screenshot, '\\.png$', '') FROM engagement.feedback WHERE user_id = $1
    UNION ALL SELECT photo FROM engagement.lost_cases WHERE user_id = $1)
  RETURNING object_key
), event AS (
  DELETE FROM media.outbox WHERE type = 'photos.changed' AND data ->> 'userId' = $1
), discarded AS (
  INSERT INTO media.discarded_objects (object_key)
  SELECT object_key FROM photo UNION ALL SELECT object_key FROM screenshot
  ON CONFLICT DO NOTHING
)
SELECT (SELECT count(*) FROM photo)::int AS photos,
       (SELECT count(*) FROM screenshot)::int AS screenshots`
/** How many images of a participant were erased. */
const ErasedImages = Type.Object({ photos: Type.Integer(), screenshots: Type.Integer() })

type Stores = {
  db: Pick<Database, 'queryAs'>
  counts: Pick<PhotoCounts, 'forget'>
  /** Deletes the discarded objects. */
  sweep: () => Promise<unknown>
}

/**
 * Erases a participant's images: rows, objects and the cached count. BEFORE their feedback is erased.
 * @returns what this call erased; a repeated one finds nothing
 * @throws StoreUnavailable when a part of it may be left: to be called again
 */
export async function eraseImages(
  { db, counts, sweep }: Stores,
  userId: string,
): Promise<Static<typeof ErasedImages>> {
  const [erased] = await db.queryAs(ErasedImages, ERASE, [userId])
  await sweep()
  await counts.forget(userId)
  return erased ?? { photos: 0, screenshots: 0 }
}
