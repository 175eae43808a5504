import type { Database, Row } from '@palanquin/db/client'

export type Photo = { userId: string; objectKey: string; messageId: string }

const FIND = 'SELECT 1 AS there FROM media.photos WHERE message_id = $1'
const COUNT = 'SELECT photos FROM media.photo_counts WHERE user_id = $1'

/** The count's row is locked before the event is written: events of one participant are in the order of their counts. */
const ADD = `
WITH added AS (
  INSERT INTO media.photos (user_id, object_key, message_id) VALUES ($1, $2, $3)
  ON CONFLICT (message_id) DO NOTHING RETURNING user_id
), counted AS (
  INSERT INTO media.photo_counts AS c (user_id, photos) SELECT user_id, 1 FROM added
  ON CONFLICT (user_id) DO UPDATE SET photos = c.photos + 1 RETURNING user_id, photos
), told AS (
  INSERT INTO media.outbox (type, data)
  SELECT 'photos.changed', jsonb_build_object('userId', user_id, 'count', photos) FROM counted
), spare AS (
  INSERT INTO media.discarded_objects (object_key) SELECT $2::text WHERE NOT EXISTS (SELECT 1 FROM added)
)
SELECT photos FROM counted`

type CountRow = Row & { photos: number }

/** Whose photos they are, and how many. All throw StoreUnavailable. */
export function photoStore(db: Pick<Database, 'query'>) {
  return {
    /** Whether the photo of a message is there already. */
    has: async (messageId: string): Promise<boolean> => (await db.query(FIND, [messageId])).length > 0,
    /** Only when the object is stored. False when the message was told before: then the object is discarded. */
    add: async ({ userId, objectKey, messageId }: Photo): Promise<boolean> =>
      (await db.query<CountRow>(ADD, [userId, objectKey, messageId])).length > 0,
    count: async (userId: string): Promise<number> => {
      const [row] = await db.query<CountRow>(COUNT, [userId])
      return row?.photos ?? 0
    },
  }
}

export type PhotoStore = ReturnType<typeof photoStore>
