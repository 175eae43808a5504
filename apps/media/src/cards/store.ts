import type { Database } from '@palanquin/db/client'

/** The row of a participant's card. */
export type CardRow = { contentKey: string; objectKey: string; etag: string; generatedAt: string }

const COLUMNS = `content_key AS "contentKey", object_key AS "objectKey", etag,
  to_char(generated_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS "generatedAt"`

/** Written before the object is: from here on a crash leaves nothing that nobody knows of. */
const BEGIN = 'INSERT INTO media.card_leftovers (object_key, user_id) VALUES ($1, $2)'

/**
 * Makes an object the card of a participant, if the card is still the one that was there before ($5, '' for none) and
 * the object is still theirs to use ($1, $2; erasing the participant, or the sweep, takes it away). What was there
 * becomes a leftover, and the administrator's act ($6, '' for nobody's) goes into the outbox. All of it or nothing.
 */
const STAND = `
WITH mine AS (
  SELECT object_key FROM media.card_leftovers
   WHERE object_key = $1 AND user_id = $2 AND NOT doomed FOR UPDATE
), stands AS (
  INSERT INTO media.cards AS card (user_id, content_key, object_key, etag)
  SELECT $2, $3, object_key, $4 FROM mine
  ON CONFLICT (user_id) DO UPDATE
    SET content_key = excluded.content_key, object_key = excluded.object_key, etag = excluded.etag,
        generated_at = greatest(now(), card.generated_at + interval '1 millisecond')
    WHERE card.object_key = $5
  RETURNING object_key, generated_at
), used AS (
  DELETE FROM media.card_leftovers USING stands WHERE card_leftovers.object_key = stands.object_key
), replaced AS (
  INSERT INTO media.card_leftovers (object_key, user_id)
  SELECT $5, $2 FROM stands WHERE $5 <> '' ON CONFLICT DO NOTHING
), told AS (
  INSERT INTO media.outbox (type, data)
  SELECT 'admin.acted', nullif($6, '')::jsonb FROM stands WHERE $6 <> ''
)
SELECT to_char(generated_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS "generatedAt" FROM stands`

export type Standing = {
  userId: string
  contentKey: string
  objectKey: string
  etag: string
  /** The object of the card that stood there when this one was begun; null for none. */
  before: string | null
  /** Data of an `admin.acted` event, where an administrator had it made. */
  act?: { action: string; by: string; detail: Record<string, string> } | undefined
}

/** Cards in the database. Every write is one statement. */
export function cardStore(db: Pick<Database, 'query'>) {
  return {
    /** The card that stands; null for none. */
    read: async (userId: string): Promise<CardRow | null> =>
      (await db.query<CardRow>(`SELECT ${COLUMNS} FROM media.cards WHERE user_id = $1`, [userId]))[0] ?? null,
    begin: async (objectKey: string, userId: string): Promise<void> => {
      await db.query(BEGIN, [objectKey, userId])
    },
    /** When the card was made; null when another one had come to stand there, or the participant was erased. */
    stand: async ({ userId, contentKey, objectKey, etag, before, act }: Standing): Promise<string | null> => {
      const rows = await db.query<{ generatedAt: string }>(STAND, [
        objectKey,
        userId,
        contentKey,
        etag,
        before ?? '',
        act ? JSON.stringify(act) : '',
      ])
      return rows[0]?.generatedAt ?? null
    },
  }
}

export type CardStore = ReturnType<typeof cardStore>
