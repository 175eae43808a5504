import type { Database } from '@palanquin/db/client'
import Type from 'typebox'

const Erased = Type.Object({ gone: Type.Integer() })

/** Out of every chunk and list that waits; settled ones hold no user ids. */
const ERASE = `
WITH from_chunks AS (
  UPDATE line.push_chunks SET user_ids = array_remove(user_ids, $1)
   WHERE state = 'waiting' AND $1 = ANY (user_ids) RETURNING 1 AS gone
), from_lists AS (
  UPDATE line.pushes SET audience = jsonb_set(audience, '{userIds}', (audience -> 'userIds') - $1),
      recipients = greatest(0, recipients - 1)
   WHERE released_at IS NULL AND audience -> 'userIds' ? $1 RETURNING 1 AS gone
)
SELECT (SELECT count(*) FROM from_chunks)::int + (SELECT count(*) FROM from_lists)::int AS gone`

/** Removes a user from every push that is yet to be sent; how many there were. @throws StoreUnavailable */
export async function eraseFromPushes(db: Pick<Database, 'queryAs'>, userId: string): Promise<number> {
  const [row] = await db.queryAs(Erased, ERASE, [userId])
  return row?.gone ?? 0
}
