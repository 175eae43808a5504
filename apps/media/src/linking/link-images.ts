import type { Database } from '@palanquin/db/client'
import type { PhotoCounts } from '../photos/counts.ts'

/** Photos, screenshots and share addresses of a device ($1) become those of the person ($2); photos are counted where they are moved. */
const LINK = `
WITH moved AS (
  UPDATE media.photos SET user_id = $2 WHERE user_id = $1 RETURNING 1
), uncounted AS (
  DELETE FROM media.photo_counts WHERE user_id = $1
), counted AS (
  INSERT INTO media.photo_counts AS c (user_id, photos)
  SELECT $2::text, count(*) FROM moved HAVING count(*) > 0
  ON CONFLICT (user_id) DO UPDATE SET photos = c.photos + excluded.photos RETURNING user_id, photos
), event AS (
  INSERT INTO media.outbox (type, data)
  SELECT 'photos.changed', jsonb_build_object('userId', user_id, 'count', photos) FROM counted
), screenshot AS (
  UPDATE media.screenshots SET user_id = $2 WHERE user_id = $1
), shared AS (
  UPDATE media.card_shares SET user_id = $2,
         joined = EXISTS (SELECT FROM media.card_shares AS own WHERE own.user_id = $2 AND NOT own.joined)
   WHERE user_id = $1
)
SELECT count(*)::int AS photos FROM moved`

/** Moves a device's images to the person it was joined to; idempotent. @throws StoreUnavailable: to be called again */
export async function linkImages(
  { db, counts }: { db: Pick<Database, 'query'>; counts: Pick<PhotoCounts, 'forget'> },
  { deviceId, userId }: { deviceId: string; userId: string },
): Promise<void> {
  await db.query(LINK, [deviceId, userId])
  await counts.forget(deviceId)
  await counts.forget(userId)
}
