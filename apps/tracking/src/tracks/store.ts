import type { Database } from '@palanquin/db/client'
import type { Point } from '@palanquin/domain/point'
import { toIso } from '@palanquin/domain/time'

/** Points read at a time: memory stays flat, however long somebody has walked. */
const PAGE_POINTS = 5_000
const DEADLINE_MS = 8_000

/** A stored point, with what the person wrote to it. */
export type TrackPoint = Point & { readonly note: string | null }

type Row = {
  recorded_at: Date
  kind: number
  lat: number
  lng: number
  accuracy: number | null
  speed: number | null
  altitude: number | null
  source: string
  note: string | null
}

/** By the points' key. The bounds on `recorded_at` by itself leave out the days that have nothing to do with it. */
export const READ_PAGE = `
SELECT recorded_at, kind, lat, lng, accuracy, speed, altitude, source, note FROM tracking.points
 WHERE user_id = $1 AND recorded_at >= $2::text::timestamptz AND recorded_at <= $3::text::timestamptz
   AND (recorded_at, kind) > ($2::text::timestamptz, $4::smallint)
 ORDER BY recorded_at, kind LIMIT $5`

/** Before a check-in, the first kind. */
const BEFORE_ALL_KINDS = -1

/** All stored points of a participant between two moments (both included), in the order that counts, page by page. */
export async function* storedPoints(
  db: Database,
  { userId, from, to }: { userId: string; from: number | null; to: number | null },
): AsyncGenerator<TrackPoint[]> {
  let after = { at: from === null ? '-infinity' : toIso(from), kind: BEFORE_ALL_KINDS }
  const until = to === null ? 'infinity' : toIso(to)
  for (;;) {
    const rows: Row[] = await db.query<Row>(READ_PAGE, [userId, after.at, until, after.kind, PAGE_POINTS], {
      deadlineMs: DEADLINE_MS,
    })
    if (rows.length > 0) yield rows.map(pointOf)
    const last = rows.at(-1)
    if (!last || rows.length < PAGE_POINTS) return
    after = { at: last.recorded_at.toISOString(), kind: last.kind }
  }
}

const pointOf = ({ recorded_at, kind, ...rest }: Row): TrackPoint => ({
  ...rest,
  recordedAt: recorded_at.getTime(),
  kind: kind === 0 ? 'checkin' : 'track',
  heading: null,
})

/** Whether PostgreSQL knows of somebody: by a profile, or by points. @throws StoreUnavailable */
export async function isKnown(db: Database, userId: string): Promise<boolean> {
  const [row] = await db.query<{ known: boolean }>(
    `SELECT EXISTS (SELECT FROM tracking.tracks WHERE user_id = $1)
         OR EXISTS (SELECT FROM engagement.participants WHERE user_id = $1) AS known`,
    [userId],
  )
  return row?.known === true
}
