import type { Database } from '@palanquin/db/client'
import { Timestamp } from '@palanquin/db/rows'
import { cards } from '@palanquin/db/schema/media'
import { unlessErased } from '@palanquin/db/unless-erased'
import type { Receipt } from '@palanquin/service/erasure-token'
import { eq } from 'drizzle-orm'
import Type from 'typebox'

/** The row of a participant's card. */
export type CardRow = { contentKey: string; objectKey: string; etag: string; generatedAt: string }

/**
 * Makes an object the card of a participant, if the card is still the one that was there before ($5, '' for none) and
 * the object is still listed for them ($1, $2; an erasure or the sweep takes it away). What was there is listed for the
 * sweep, and the administrator's act ($6, '' for none) goes into the outbox. All of it or nothing.
 */
const REPLACE = `
WITH mine AS (
  SELECT object_key FROM media.card_leftovers
   WHERE object_key = $1 AND user_id = $2 AND NOT doomed FOR UPDATE
), card AS (
  INSERT INTO media.cards AS card (user_id, content_key, object_key, etag)
  SELECT $2, $3, object_key, $4 FROM mine
  ON CONFLICT (user_id) DO UPDATE
    SET content_key = excluded.content_key, object_key = excluded.object_key, etag = excluded.etag,
        generated_at = greatest(now(), card.generated_at + interval '1 millisecond')
    WHERE card.object_key = $5
  RETURNING object_key, generated_at
), used AS (
  DELETE FROM media.card_leftovers USING card WHERE card_leftovers.object_key = card.object_key
), replaced AS (
  INSERT INTO media.card_leftovers (object_key, user_id)
  SELECT $5, $2 FROM card WHERE $5 <> '' ON CONFLICT DO NOTHING
), event AS (
  INSERT INTO media.outbox (type, data)
  SELECT 'admin.acted', nullif($6, '')::jsonb FROM card WHERE $6 <> ''
)
SELECT generated_at AS "generatedAt" FROM card`
const Replaced = Type.Object({ generatedAt: Timestamp })

const ANNOUNCE = `
INSERT INTO media.card_leftovers (object_key, user_id) SELECT $1, $2 WHERE ${unlessErased('$3')} RETURNING object_key`

/** After this no row names the participant. An object that is being stored cannot become a card, and is swept. */
const ERASE = `
WITH card AS (
  DELETE FROM media.cards WHERE user_id = $1 RETURNING object_key
), shared AS (
  DELETE FROM media.card_shares WHERE user_id = $1
), ordered AS (
  DELETE FROM media.card_orders WHERE user_id = $1
), leftover AS (
  UPDATE media.card_leftovers SET user_id = NULL, doomed = true, at = now() WHERE user_id = $1 RETURNING object_key
), listed AS (
  INSERT INTO media.card_leftovers (object_key, doomed) SELECT object_key, true FROM card
)
SELECT object_key AS "objectKey", true AS "wasCurrent" FROM card
UNION ALL SELECT object_key, false FROM leftover`
const Erased = Type.Object({ objectKey: Type.String(), wasCurrent: Type.Boolean() })

/** After this they cannot become a card any more. */
const DOOM = `
UPDATE media.card_leftovers SET doomed = true WHERE object_key IN (
  SELECT object_key FROM media.card_leftovers WHERE at < now() - make_interval(secs => $1)
   ORDER BY at LIMIT $2 FOR UPDATE SKIP LOCKED)
RETURNING object_key AS "objectKey"`
const Doomed = Type.Object({ objectKey: Type.String() })

const FORGET = 'DELETE FROM media.card_leftovers WHERE doomed AND object_key = ANY($1::text[])'

export type Replacement = {
  userId: string
  contentKey: string
  objectKey: string
  etag: string
  /** The object of the card that was current before this one; null for none. */
  before: string | null
  /** Data of an `admin.acted` event, where an administrator had it rendered. */
  act?: { action: string; by: string; detail: Record<string, string> } | undefined
}

/** Cards in the database. Every write is one statement. All throw StoreUnavailable. */
export function cardStore(db: Pick<Database, 'orm' | 'query' | 'queryAs'>) {
  return {
    /** The current card; null for none. */
    read: async (userId: string): Promise<CardRow | null> => {
      const [row] = await db.orm((orm) => orm.select().from(cards).where(eq(cards.userId, userId)))
      if (!row) return null
      const { contentKey, objectKey, etag, generatedAt } = row
      return { contentKey, objectKey, etag, generatedAt: generatedAt.toISOString() }
    },
    /** Lists an object for the sweep before it is stored, so that a crash leaves nothing unknown. False once they are erased. */
    announce: async (objectKey: string, userId: string, receipt: Receipt): Promise<boolean> =>
      (await db.query(ANNOUNCE, [objectKey, userId, receipt])).length > 0,
    /** When the card was generated; null when another one became current, or the participant was erased. */
    replace: async ({
      userId,
      contentKey,
      objectKey,
      etag,
      before,
      act,
    }: Replacement): Promise<string | null> => {
      const event = act ? JSON.stringify(act) : ''
      const parameters = [objectKey, userId, contentKey, etag, before ?? '', event]
      const [row] = await db.queryAs(Replaced, REPLACE, parameters)
      return row?.generatedAt.toISOString() ?? null
    },
    erase: (userId: string) => db.queryAs(Erased, ERASE, [userId]),
    /** Up to `limit` objects without a card, of at least `ageS` seconds, to be deleted. */
    doom: async (ageS: number, limit: number): Promise<string[]> =>
      (await db.queryAs(Doomed, DOOM, [ageS, limit])).map(({ objectKey }) => objectKey),
    forget: async (objectKeys: readonly string[]): Promise<void> => {
      await db.query(FORGET, [objectKeys])
    },
  }
}

export type CardStore = ReturnType<typeof cardStore>
