import type { Database } from '@palanquin/db/client'
import type { Objects } from '../objects.ts'
import { folderOf } from './key.ts'

/**
 * No row names the participant after this. What is being stored at this moment can no longer become a card, and is
 * deleted by the sweep, without knowing whose it was.
 */
const ERASE = `
WITH card AS (
  DELETE FROM media.cards WHERE user_id = $1 RETURNING object_key
), wish AS (
  DELETE FROM media.card_orders WHERE user_id = $1
), leftovers AS (
  UPDATE media.card_leftovers SET user_id = NULL, doomed = true, at = now() WHERE user_id = $1 RETURNING object_key
), kept AS (
  INSERT INTO media.card_leftovers (object_key, doomed) SELECT object_key, true FROM card
)
SELECT object_key AS "objectKey", true AS stood FROM card
UNION ALL SELECT object_key, false FROM leftovers`

export type ErasedCards = { cards: number; cardPictures: number }

/** Erases the cards of a participant: rows, and every picture in their folder. Repeating it does no harm. */
export async function eraseCards(
  userId: string,
  {
    db,
    objects,
    secret,
  }: { db: Pick<Database, 'query'>; objects: Pick<Objects, 'remove' | 'list'>; secret: string },
): Promise<ErasedCards> {
  const rows = await db.query<{ objectKey: string; stood: boolean }>(ERASE, [userId])
  const keys = new Set(rows.map(({ objectKey }) => objectKey))
  for await (const page of objects.list(folderOf(userId, secret))) for (const { key } of page) keys.add(key)
  await objects.remove([...keys])
  return { cards: rows.filter(({ stood }) => stood).length, cardPictures: keys.size }
}
