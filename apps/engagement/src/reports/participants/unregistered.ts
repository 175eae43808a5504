import type { Database } from '@palanquin/db/client'
import { held } from '../../held.ts'
import type { WaitingOf } from '../../participants/buffer-reader.ts'
import type { FindUnregistered } from './buffered-user-ids.ts'

/** They have a row a moment after their first flush, so these many at once are those of a flush that is being told. */
const STRANGERS_MAX = 10_000
const DEADLINE_MS = 8_000
/** Comparing 300,000 tracks with the people takes 0.2 s: of so many the answer is kept a moment. A small event is asked anew. */
const MANY_TRACKS = 20_000
const HELD_MS = 2_000

/** The size is the planner's own estimate: it costs nothing. */
const STRANGERS = `
SELECT (SELECT reltuples FROM pg_class WHERE oid = 'tracking.tracks'::regclass) AS tracks, ARRAY(
  SELECT t.user_id FROM tracking.tracks AS t
  WHERE NOT EXISTS (SELECT 1 FROM engagement.participants AS p WHERE p.user_id = t.user_id)
  LIMIT ${STRANGERS_MAX}) AS "userIds"`

export type Strangers = () => Promise<readonly string[]>

/**
 * Who may have no row of their own yet, though points of them arrived: those of newcomers are in the buffer alone; of
 * the others they were stored, and `track.advanced` is still on its way. The buffer itself is asked once more, so that
 * nobody who was erased in the meantime is among them.
 * @throws StoreUnavailable
 */
export function strangersOf({
  db,
  unregistered,
  waitingOf,
}: {
  db: Database
  unregistered: FindUnregistered
  waitingOf: WaitingOf
}): Strangers {
  const read = held(
    async () => {
      const [row] = await db.query<{ tracks: number; userIds: string[] }>(STRANGERS, [], {
        deadlineMs: DEADLINE_MS,
      })
      return row ?? { tracks: 0, userIds: [] }
    },
    ({ tracks }) => (tracks > MANY_TRACKS ? HELD_MS : 0),
  )
  return async () => {
    const [waiting, { userIds }] = await Promise.all([unregistered().then(waitingOf), read()])
    return [...new Set([...waiting, ...userIds])]
  }
}
