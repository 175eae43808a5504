import type { Database } from '@palanquin/db/client'
import { held } from '../../held.ts'
import type { BufferedOf } from '../../participants/buffer-reader.ts'
import type { UnregisteredOnMap } from './unregistered-on-map.ts'

/** They have a row a moment after their first flush, so these many at once are those of a flush that is being told. */
const UNREGISTERED_MAX = 10_000
const DEADLINE_MS = 8_000
/** Comparing 300,000 tracks with the people takes 0.2 s: of so many the answer is kept a moment. A small event is asked anew. */
const MANY_TRACKS = 20_000
const TTL_MS = 2_000

/** The size is the planner's own estimate: it costs nothing. */
const TRACKS_WITHOUT_ROW = `
SELECT (SELECT reltuples FROM pg_class WHERE oid = 'tracking.tracks'::regclass) AS tracks, ARRAY(
  SELECT t.user_id FROM tracking.tracks AS t
  WHERE NOT EXISTS (SELECT 1 FROM engagement.participants AS p WHERE p.user_id = t.user_id)
  LIMIT ${UNREGISTERED_MAX}) AS "userIds"`

export type FindUnregistered = () => Promise<readonly string[]>

/**
 * Who may have no row of their own yet, though points of them arrived: those of newcomers are in the buffer alone; of
 * the others they were stored, and `track.advanced` is still on its way. The buffer itself is asked once more, so that
 * nobody who was erased in the meantime is among them.
 * @throws StoreUnavailable
 */
export function unregisteredFinder({
  db,
  unregisteredOnMap,
  bufferedOf,
}: {
  db: Database
  unregisteredOnMap: UnregisteredOnMap
  bufferedOf: BufferedOf
}): FindUnregistered {
  const read = held(
    async () => {
      const [row] = await db.query<{ tracks: number; userIds: string[] }>(TRACKS_WITHOUT_ROW, [], {
        deadlineMs: DEADLINE_MS,
      })
      return row ?? { tracks: 0, userIds: [] }
    },
    ({ tracks }) => (tracks > MANY_TRACKS ? TTL_MS : 0),
  )
  return async () => {
    const [waiting, { userIds }] = await Promise.all([unregisteredOnMap().then(bufferedOf), read()])
    return [...new Set([...waiting, ...userIds])]
  }
}
