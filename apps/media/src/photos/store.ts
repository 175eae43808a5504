import type { Database } from '@palanquin/db/client'
import { photoCounts, photos } from '@palanquin/db/schema/media'
import { unlessErased } from '@palanquin/db/unless-erased'
import type { Receipt } from '@palanquin/service/erasure-token'
import { eq } from 'drizzle-orm'
import Type from 'typebox'

export type Photo = {
  id: string
  userId: string
  objectKey: string
  messageId: string
  receipt: Receipt
  /** Where and when it was taken, for one that is a check-in. */
  point: { lat: number; lng: number; takenAt: string } | null
}

/** The count's row is locked before the event is written: events of one participant are in the order of their counts. */
const ADD = `
WITH added AS (
  INSERT INTO media.photos (id, user_id, object_key, message_id, lat, lng, taken_at)
  SELECT $4::uuid, $1, $2, $3, $5::double precision, $6::double precision, $7::text::timestamptz
   WHERE ${unlessErased('$8')}
  ON CONFLICT (message_id) DO NOTHING RETURNING user_id
), counted AS (
  INSERT INTO media.photo_counts AS c (user_id, photos) SELECT user_id, 1 FROM added
  ON CONFLICT (user_id) DO UPDATE SET photos = c.photos + 1 RETURNING user_id, photos
), event AS (
  INSERT INTO media.outbox (type, data)
  SELECT 'photos.changed', jsonb_build_object('userId', user_id, 'count', photos) FROM counted
), spare AS (
  INSERT INTO media.discarded_objects (object_key) SELECT $2::text WHERE NOT EXISTS (SELECT 1 FROM added)
)
SELECT photos FROM counted`
const Counted = Type.Object({ photos: Type.Integer() })

/** Photos of participants, and how many. All throw StoreUnavailable. */
export function photoStore(db: Pick<Database, 'orm' | 'queryAs'>) {
  return {
    /** Whether the photo of a message is stored already. */
    has: async (messageId: string): Promise<boolean> =>
      (await db.orm((orm) => orm.$count(photos, eq(photos.messageId, messageId)))) > 0,
    /** After the object is stored. False when the message was delivered before, or the participant was erased: then the object is discarded. */
    add: async ({ id, userId, objectKey, messageId, receipt, point }: Photo): Promise<boolean> => {
      const place = [point?.lat ?? null, point?.lng ?? null, point?.takenAt ?? null]
      return (
        (await db.queryAs(Counted, ADD, [userId, objectKey, messageId, id, ...place, receipt])).length > 0
      )
    },
    /** The photo of a message. */
    idOf: async (messageId: string): Promise<{ id: string; createdAtMs: number } | null> => {
      const [row] = await db.orm((orm) => orm.select().from(photos).where(eq(photos.messageId, messageId)))
      return row ? { id: row.id, createdAtMs: row.createdAt.getTime() } : null
    },
    count: async (userId: string): Promise<number> => {
      const [row] = await db.orm((orm) =>
        orm.select().from(photoCounts).where(eq(photoCounts.userId, userId)),
      )
      return row?.photos ?? 0
    },
  }
}

export type PhotoStore = ReturnType<typeof photoStore>
