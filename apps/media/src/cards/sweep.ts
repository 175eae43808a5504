import type { Database } from '@palanquin/db/client'
import type { Objects } from '../objects.ts'

/** Longer than a card may be shown without asking again, and than any process takes to store one. */
const GRACE_S = 600
const BATCH = 500

/** From then on nobody can make them a card any more. */
const DOOM = `
UPDATE media.card_leftovers SET doomed = true WHERE object_key IN (
  SELECT object_key FROM media.card_leftovers WHERE at < now() - make_interval(secs => $1)
   ORDER BY at LIMIT ${BATCH} FOR UPDATE SKIP LOCKED)
RETURNING object_key AS "objectKey"`

const FORGET = 'DELETE FROM media.card_leftovers WHERE doomed AND object_key = ANY($1::text[])'

/**
 * Deletes the objects of cards that were replaced, or that a crash left behind, some minutes after.
 * @returns how many were deleted
 */
export async function sweepLeftovers(
  { db, objects }: { db: Pick<Database, 'query'>; objects: Pick<Objects, 'remove'> },
  { graceS = GRACE_S } = {},
): Promise<number> {
  for (let swept = 0; ; ) {
    const keys = (await db.query<{ objectKey: string }>(DOOM, [graceS])).map(({ objectKey }) => objectKey)
    if (keys.length > 0) {
      await objects.remove(keys)
      await db.query(FORGET, [keys])
    }
    swept += keys.length
    if (keys.length < BATCH) return swept
  }
}
