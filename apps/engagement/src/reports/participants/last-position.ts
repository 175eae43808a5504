import type { Database } from '@palanquin/db/client'
import { Nullable as NullableColumn, Timestamp } from '@palanquin/db/rows'
import { Latitude, Longitude } from '@palanquin/domain/degrees'
import { Nullable } from '@palanquin/domain/optional'
import { Iso, toIso } from '@palanquin/domain/time'
import Type, { type Static } from 'typebox'

/** Where a participant last was, and what the phone last said of its battery. */
export const LastPosition = Type.Object({
  lastPosition: Nullable(
    Type.Object({ lat: Latitude, lng: Longitude, recordedAt: Iso }),
    'where they last were, by the live map; while it is away by the last flush. Null before the first position',
  ),
  battery: Nullable(
    Type.Integer({ minimum: 0, maximum: 100 }),
    'per cent, as the phone last said; null where it said nothing',
  ),
})
export type LastPosition = Static<typeof LastPosition>
export const NO_POSITION: LastPosition = { lastPosition: null, battery: null }

/** By the key of the point: one partition, or one packed hour, is read for each. */
const READ_LAST = `
SELECT t.user_id, t.last_lat, t.last_lng, t.last_at,
  (SELECT max(p.battery) FROM tracking.all_points AS p WHERE p.user_id = t.user_id AND p.recorded_at = t.last_at
     AND p.hour = date_trunc('hour', t.last_at, 'UTC')) AS battery
  FROM tracking.tracks AS t WHERE t.user_id = ANY ($1::text[]) AND t.last_at IS NOT NULL`
const LastRow = Type.Object({
  user_id: Type.String(),
  last_lat: Type.Number(),
  last_lng: Type.Number(),
  last_at: Timestamp,
  battery: NullableColumn(Type.Integer()),
})

/** The last positions of these participants as the last flush stored them, by user id. @throws StoreUnavailable */
export async function readLastPositions(
  db: Database,
  userIds: readonly string[],
): Promise<ReadonlyMap<string, LastPosition>> {
  if (userIds.length === 0) return new Map()
  const rows = await db.queryAs(LastRow, READ_LAST, [userIds])
  return new Map(
    rows.map(({ user_id, last_lat: lat, last_lng: lng, last_at, battery }) => [
      user_id,
      { lastPosition: { lat, lng, recordedAt: toIso(last_at.getTime()) }, battery },
    ]),
  )
}
