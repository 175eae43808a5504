import type { Database } from '@palanquin/db/client'
import { ERASED_ACTOR } from '@palanquin/events/without-participant'
import Type from 'typebox'

const Erased = Type.Object({ gone: Type.Integer() })

const WITHOUT_ACTOR = `CASE WHEN by = $1 THEN '${ERASED_ACTOR}' ELSE by END`

/** Out of every chunk and list that waits, and as the sender of any; settled ones hold no user ids. */
const ERASE = `
WITH from_chunks AS (
  UPDATE line.push_chunks SET user_ids = array_remove(user_ids, $1)
   WHERE state = 'waiting' AND $1 = ANY (user_ids) RETURNING 1 AS gone
), from_lists AS (
  UPDATE line.pushes SET audience = jsonb_set(audience, '{userIds}', (audience -> 'userIds') - $1),
      recipients = greatest(0, recipients - 1), by = ${WITHOUT_ACTOR}
   WHERE released_at IS NULL AND audience -> 'userIds' ? $1 RETURNING 1 AS gone
), sent_by AS (
  UPDATE line.pushes SET by = ${WITHOUT_ACTOR}
   WHERE by = $1 AND NOT (released_at IS NULL AND audience -> 'userIds' ? $1)
)
SELECT (SELECT count(*) FROM from_chunks)::int + (SELECT count(*) FROM from_lists)::int AS gone`

/** Removes a user from every push that is yet to be sent; how many there were. @throws StoreUnavailable */
export async function eraseFromPushes(db: Pick<Database, 'queryAs'>, userId: string): Promise<number> {
  const [row] = await db.queryAs(Erased, ERASE, [userId])
  return row?.gone ?? 0
}
