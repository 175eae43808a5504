import type { Database } from '@palanquin/db/client'
import { ERASED_ACTOR } from '@palanquin/events/without-participant'
import type { ErasureTokenOf } from '@palanquin/service/erasure-token'
import Type from 'typebox'

const Erased = Type.Object({ gone: Type.Integer() })

const WITHOUT_ACTOR = `CASE WHEN by = $1 THEN '${ERASED_ACTOR}' ELSE by END`

/**
 * Out of every chunk and list that waits, and as the sender of any; settled ones hold no user ids. What was said to them alone
 * ($2: their erasure token) goes too, with what LINE said of it.
 */
const ERASE = `
WITH from_chunks AS (
  UPDATE line.push_chunks SET user_ids = array_remove(user_ids, $1)
   WHERE state = 'waiting' AND $1 = ANY (user_ids) RETURNING 1
), without_reason AS (
  UPDATE line.push_chunks SET reason = NULL
   WHERE push_id IN (SELECT id FROM line.pushes WHERE audience ->> 'mark' = $2) AND state <> 'waiting'
), waiting AS (
  SELECT id FROM line.pushes WHERE released_at IS NULL AND audience -> 'userIds' ? $1
), changed AS (
  UPDATE line.pushes SET by = ${WITHOUT_ACTOR},
      audience = CASE WHEN id IN (SELECT id FROM waiting)
        THEN jsonb_set(audience, '{userIds}', (audience -> 'userIds') - $1) ELSE audience END,
      recipients = CASE WHEN id IN (SELECT id FROM waiting) THEN greatest(0, recipients - 1) ELSE recipients END,
      messages = CASE WHEN audience ->> 'mark' = $2 THEN '[]' ELSE messages END
   WHERE by = $1 OR audience ->> 'mark' = $2 OR id IN (SELECT id FROM waiting)
)
SELECT (SELECT count(*) FROM from_chunks)::int + (SELECT count(*) FROM waiting)::int AS gone`

/** Removes a user from every push that is yet to be sent; how many there were. @throws StoreUnavailable */
export async function eraseFromPushes(
  db: Pick<Database, 'queryAs'>,
  userId: string,
  tokenOf: ErasureTokenOf,
): Promise<number> {
  const [row] = await db.queryAs(Erased, ERASE, [userId, tokenOf(userId)])
  return row?.gone ?? 0
}
