import type { Database } from '@palanquin/db/client'
import { ApiError } from '@palanquin/service/http/api-error'
import Type from 'typebox'
import { isPushId, readPush } from './push-status.ts'

/** A push that is just being released is locked, and has its time by the end of that: it is gone, or it is on its way. */
const TAKE_BACK = `
WITH gone AS (
  DELETE FROM line.pushes
   WHERE id = $1::text::uuid AND released_at IS NULL AND scheduled_at IS NOT NULL AND cause LIKE 'push:%' RETURNING id
), timeline_event AS (
  INSERT INTO line.outbox (type, data)
  SELECT 'admin.acted', jsonb_build_object('action', 'push.taken_back', 'by', $2::text, 'detail', jsonb_build_object('pushId', id))
    FROM gone
)
SELECT id AS "pushId" FROM gone`

export const TakenBack = Type.Object({
  pushId: Type.String({ format: 'uuid', description: 'of what is not sent any more' }),
})

/** Takes back a push that waits for its time; an ApiError where there is none. @throws StoreUnavailable */
export async function takeBack(
  db: Pick<Database, 'queryAs'>,
  pushId: string,
  by: string,
): Promise<{ pushId: string } | ApiError> {
  const [gone] = isPushId(pushId) ? await db.queryAs(TakenBack, TAKE_BACK, [pushId, by]) : []
  if (gone) return gone
  return (await readPush(db, pushId))
    ? new ApiError('conflict', 'This message was sent, or is on its way: it cannot be taken back.')
    : new ApiError('notFound', 'There is no push of this pushId.')
}
