import type { Database } from '@palanquin/db/client'
import { memoize } from '@palanquin/service/memoize'
import Type from 'typebox'
import type { FindBuffered } from '../../participants/buffer-reader.ts'
import type { UnregisteredOnMap } from './unregistered-on-map.ts'

/** More than one flush registers at a time. */
const UNREGISTERED_MAX = 10_000
const DEADLINE_MS = 8_000
/** Comparing 300,000 tracks takes 0.2 s, so above this size the result is memoized. */
const MANY_TRACKS = 20_000
const TTL_MS = 2_000

/** The number of tracks is the planner's estimate, which costs nothing. */
const TRACKS_WITHOUT_ROW = `
SELECT (SELECT reltuples FROM pg_class WHERE oid = 'tracking.tracks'::regclass) AS tracks, ARRAY(
  SELECT t.user_id FROM tracking.tracks AS t
  WHERE NOT EXISTS (SELECT 1 FROM engagement.participants AS p WHERE p.user_id = t.user_id)
  UNION SELECT d.user_id FROM tracking.beacon_devices AS d
  WHERE NOT EXISTS (SELECT 1 FROM engagement.participants AS p WHERE p.user_id = d.user_id)
  LIMIT ${UNREGISTERED_MAX}) AS "userIds"`

const TracksRow = Type.Object({ tracks: Type.Number(), userIds: Type.Array(Type.String()) })

/** `candidate`: a user id that is looked up in the buffer as well. */
export type FindUnregistered = (candidate: string | undefined) => Promise<readonly string[]>

/** Participants with points and perhaps no row yet; the buffer confirms what the map says. @throws StoreUnavailable */
export function unregisteredFinder({
  db,
  unregisteredOnMap,
  findBuffered,
}: {
  db: Database
  unregisteredOnMap: UnregisteredOnMap
  findBuffered: FindBuffered
}): FindUnregistered {
  const readTracks = memoize(
    async () => {
      const [row] = await db.queryAs(TracksRow, TRACKS_WITHOUT_ROW, [], { deadlineMs: DEADLINE_MS })
      return row ?? { tracks: 0, userIds: [] }
    },
    { ttlMs: ({ tracks }) => (tracks > MANY_TRACKS ? TTL_MS : 0) },
  )
  const readBuffered = async (candidate: string | undefined) =>
    findBuffered([...(await unregisteredOnMap()), ...(candidate === undefined ? [] : [candidate])])

  return async (candidate) => {
    const [buffered, { userIds }] = await Promise.all([readBuffered(candidate), readTracks()])
    return [...new Set([...buffered, ...userIds])]
  }
}
