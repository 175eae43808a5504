import type { Database } from '@palanquin/db/client'
import { Nullable, Timestamp } from '@palanquin/db/rows'
import { photos } from '@palanquin/db/schema/media'
import { and, eq } from 'drizzle-orm'
import Type, { type Static } from 'typebox'

/** A photo as its owner lists it. `createdMs` is its place in the list: text, since a number has too few digits. */
const OwnPhotoRow = Type.Object({
  id: Type.String(),
  key: Type.String(),
  createdAt: Timestamp,
  lat: Nullable(Type.Number()),
  lng: Nullable(Type.Number()),
  takenAt: Nullable(Timestamp),
})
export type OwnPhotoRow = Static<typeof OwnPhotoRow>

/** The newest first. $2 and $3: the photo behind which the page begins. */
const PAGE = `
SELECT id, created_at::text AS key, created_at AS "createdAt", lat, lng, taken_at AS "takenAt" FROM media.photos
 WHERE user_id = $1 AND (created_at, id) < ($2::text::timestamptz, $3::text::uuid)
 ORDER BY created_at DESC, id DESC LIMIT $4`

/** The count's row is locked before the event is written: events of one participant are in the order of their counts. */
const REMOVE = `
WITH gone AS (
  DELETE FROM media.photos WHERE id = $1::text::uuid AND user_id = $2 RETURNING object_key, user_id
), counted AS (
  UPDATE media.photo_counts AS c SET photos = greatest(c.photos - 1, 0)
    FROM gone WHERE c.user_id = gone.user_id RETURNING c.user_id, c.photos
), event AS (
  INSERT INTO media.outbox (type, data)
  SELECT 'photos.changed', jsonb_build_object('userId', user_id, 'count', photos) FROM counted
), discarded AS (
  INSERT INTO media.discarded_objects (object_key) SELECT object_key FROM gone ON CONFLICT DO NOTHING
)
SELECT object_key AS "objectKey" FROM gone`
const Removed = Type.Object({ objectKey: Type.String() })

/** A participant's own photos, from the chat too. Ids must be UUIDs. All throw StoreUnavailable. */
export const ownPhotoStore = (db: Pick<Database, 'orm' | 'queryAs'>) => ({
  page: (userId: string, { key, id, count }: { key: string; id: string; count: number }) =>
    db.queryAs(OwnPhotoRow, PAGE, [userId, key, id, count]),
  total: (userId: string): Promise<number> => db.orm((orm) => orm.$count(photos, eq(photos.userId, userId))),
  /** The object of a photo; null where the participant has no such photo. */
  objectKeyOf: async (userId: string, id: string): Promise<string | null> => {
    const [row] = await db.orm((orm) =>
      orm
        .select()
        .from(photos)
        .where(and(eq(photos.id, id), eq(photos.userId, userId))),
    )
    return row?.objectKey ?? null
  },
  /** Whether there was one; its object is deleted by the sweep. */
  remove: async (userId: string, id: string): Promise<boolean> =>
    (await db.queryAs(Removed, REMOVE, [id, userId])).length > 0,
})

export type OwnPhotoStore = ReturnType<typeof ownPhotoStore>
