import type { Database } from '@palanquin/db/client'
import { Nullable, Timestamp } from '@palanquin/db/rows'
import { comparePreference } from '@palanquin/domain/distance'
import type { Point } from '@palanquin/domain/point'
import { toIso } from '@palanquin/domain/time'
import Type from 'typebox'

/** The bounds let PostgreSQL skip the partitions of other days, and packed hours. Kind 1 is a track point. */
const KNOWN = `
SELECT recorded_at, lat, lng, accuracy, speed FROM tracking.all_points
 WHERE user_id = $1 AND kind = 1
   AND recorded_at >= $2::text::timestamptz AND recorded_at <= $3::text::timestamptz
   AND hour > $2::text::timestamptz - interval '1 hour' AND hour <= $3::text::timestamptz
   AND recorded_at = ANY($4::text[]::timestamptz[])`
const Known = Type.Object({
  recorded_at: Timestamp,
  lat: Type.Number(),
  lng: Type.Number(),
  accuracy: Nullable(Type.Number()),
  speed: Nullable(Type.Number()),
})

/**
 * The points that would change nothing: PostgreSQL has a point of that time already, the same one or one that counts before
 * it. @throws StoreUnavailable
 */
export async function storedAlready(
  db: Pick<Database, 'queryAs'>,
  userId: string,
  points: readonly Point[],
): Promise<Set<Point>> {
  if (points.length === 0) return new Set()
  const times = points.map(({ recordedAt }) => recordedAt)
  const [first, last] = [times.reduce((a, b) => Math.min(a, b)), times.reduce((a, b) => Math.max(a, b))]
  const rows = await db.queryAs(Known, KNOWN, [userId, toIso(first), toIso(last), times.map(toIso)])
  const stored = new Map(rows.map((row) => [row.recorded_at.getTime(), row]))
  return new Set(
    points.filter((point) => {
      const row = stored.get(point.recordedAt)
      return row !== undefined && comparePreference(row, point) <= 0
    }),
  )
}
