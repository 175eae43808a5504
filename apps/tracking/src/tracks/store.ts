import type { Database } from '@palanquin/db/client'
import { Nullable, Timestamp } from '@palanquin/db/rows'
import type { Point } from '@palanquin/domain/point'
import { toIso } from '@palanquin/domain/time'
import Type, { type Static } from 'typebox'
import { type PointTable, readPage } from '../packed/page.ts'

/** Points read at a time: memory stays flat, however long the walk. */
const PAGE_POINTS = 5_000
const DEADLINE_MS = 8_000

/** A point of a track, with the note of a check-in. */
export type TrackPoint = Point & { readonly note: string | null }
/** A point as it is kept; when it arrived in epoch milliseconds. */
export type KeptPoint = TrackPoint & { readonly receivedAt: number }

const PointRow = Type.Object({
  recorded_at: Timestamp,
  kind: Type.Integer(),
  lat: Type.Number(),
  lng: Type.Number(),
  accuracy: Nullable(Type.Number()),
  speed: Nullable(Type.Number()),
  altitude: Nullable(Type.Number()),
  heading: Nullable(Type.Number()),
  source: Type.String(),
  note: Nullable(Type.String()),
  received_at: Timestamp,
  battery: Nullable(Type.Integer()),
})
type PointRow = Static<typeof PointRow>

const COLUMNS = Object.keys(PointRow.properties).join(', ')
/** A page of the stored points of a table, with all that is kept of them. */
export const readTrackPage = (table: PointTable): string => readPage(table, COLUMNS)

/** Before a check-in, the first kind. */
const BEFORE_ALL_KINDS = -1

/** The stored points of a participant between two instants (both included), in the order that counts, page by page. */
export async function* storedPoints(
  db: Database,
  {
    userId,
    from = null,
    to = null,
    table = 'points',
  }: { userId: string; from?: number | null; to?: number | null; table?: PointTable },
): AsyncGenerator<KeptPoint[]> {
  const statement = readTrackPage(table)
  let after = { at: from === null ? '-infinity' : toIso(from), kind: BEFORE_ALL_KINDS }
  const until = to === null ? 'infinity' : toIso(to)
  for (;;) {
    const parameters = [userId, after.at, until, after.kind, PAGE_POINTS]
    const rows: PointRow[] = await db.queryAs(PointRow, statement, parameters, { deadlineMs: DEADLINE_MS })
    if (rows.length > 0) yield rows.map(pointOf)
    const last = rows.at(-1)
    if (!last || rows.length < PAGE_POINTS) return
    after = { at: last.recorded_at.toISOString(), kind: last.kind }
  }
}

const pointOf = ({ recorded_at, received_at, kind, battery, ...rest }: PointRow): KeptPoint => ({
  ...rest,
  ...(battery === null ? {} : { battery }),
  recordedAt: recorded_at.getTime(),
  receivedAt: received_at.getTime(),
  kind: kind === 0 ? 'checkin' : 'track',
})

const IS_KNOWN = `
SELECT EXISTS (SELECT FROM tracking.tracks WHERE user_id = $1)
    OR EXISTS (SELECT FROM engagement.participants WHERE user_id = $1) AS known`

/** Whether PostgreSQL has a profile or points of the participant. @throws StoreUnavailable */
export async function isKnown(db: Database, userId: string): Promise<boolean> {
  const [row] = await db.queryAs(Type.Object({ known: Type.Boolean() }), IS_KNOWN, [userId])
  return row?.known === true
}
