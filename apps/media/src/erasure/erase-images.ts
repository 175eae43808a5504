import type { Database, Row } from '@palanquin/db/client'
import type { PhotoCounts } from '../photos/counts.ts'

/** What of a person's pictures is gone. */
export type ErasedPictures = { photos: number; screenshots: number }

/**
 * Their photos, the screenshots that they sent and those of their feedback; what the objects are called is kept until
 * the object store has heard of it. Feedback must still be there: it alone knows whose a screenshot without a userId is.
 */
const ERASE = `
WITH gone_photos AS (
  DELETE FROM media.photos WHERE user_id = $1 RETURNING object_key
), gone_count AS (
  DELETE FROM media.photo_counts WHERE user_id = $1
), gone_screenshots AS (
  DELETE FROM media.screenshots
  WHERE user_id = $1 OR filename IN (
    SELECT regexp_replace(screenshot, '\\.png$', '') FROM engagement.feedback WHERE user_id = $1)
  RETURNING object_key
), gone_news AS (
  DELETE FROM media.outbox WHERE type = 'photos.changed' AND data ->> 'userId' = $1
), discarded AS (
  INSERT INTO media.discarded_objects (object_key)
  SELECT object_key FROM gone_photos UNION ALL SELECT object_key FROM gone_screenshots
  ON CONFLICT DO NOTHING
)
SELECT (SELECT count(*) FROM gone_photos)::int AS photos,
       (SELECT count(*) FROM gone_screenshots)::int AS screenshots`

/**
 * Erases a participant's pictures: rows, objects and the cached count. BEFORE their feedback is erased.
 * @returns what is gone by this call; a repeated one finds nothing
 * @throws StoreUnavailable when a part of it may be left: to be called again
 */
export async function erasePictures(
  {
    db,
    counts,
    sweep,
  }: {
    db: Pick<Database, 'query'>
    counts: Pick<PhotoCounts, 'forget'>
    /** Deletes the discarded objects. */
    sweep: () => Promise<unknown>
  },
  userId: string,
): Promise<ErasedPictures> {
  const [gone] = await db.query<Row & ErasedPictures>(ERASE, [userId])
  await sweep()
  await counts.forget(userId)
  return { photos: gone?.photos ?? 0, screenshots: gone?.screenshots ?? 0 }
}
