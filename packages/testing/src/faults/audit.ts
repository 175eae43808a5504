import { trackOf } from '@palanquin/domain/distance'
import type { Point, PointKind } from '@palanquin/domain/point'
import type { Sql } from 'postgres'
import { type Ledger, pointKey, type Verdict } from './ledger.ts'
import { rollupFaults } from './rollups.ts'

/** A verdict on the points, and on their effects. */
export type Audit = Verdict & {
  /** Participants whose figures are not those of one sorted pass over their stored points. */
  wrong: string[]
  /** Participants with points and no track. */
  trackless: string[]
  /** What does not hold of the rollups; each ends with a row for which it does not. */
  rollups: string[]
}

/** An audit without its two counts, where nothing is wrong. */
export const NOTHING_WRONG = { lost: [], doubled: [], phantom: [], wrong: [], trackless: [], rollups: [] }

/** Holds what PostgreSQL has of points, tracks and rollups against what was sent. */
export async function auditPoints(sql: Sql, book: Ledger): Promise<Audit> {
  const rows = await sql<PointRow[]>`
    SELECT user_id, kind, recorded_at, lat, lng, accuracy, speed FROM tracking.all_points`
  const tracks = await sql<TrackRow[]>`
    SELECT user_id, points, checkins, walked_km, motorized_km, needs_rebuild FROM tracking.tracks`
  const walked = Map.groupBy(rows, ({ user_id }) => user_id)
  const known = new Set(tracks.map(({ user_id }) => user_id))
  return {
    ...book.check(rows.map(keyOf)),
    wrong: tracks
      .filter((track) => isWrong(track, walked.get(track.user_id) ?? []))
      .map(({ user_id }) => user_id),
    trackless: [...walked.keys()].filter((userId) => !known.has(userId)),
    rollups: await rollupFaults(sql),
  }
}

function isWrong(track: TrackRow, points: readonly PointRow[]): boolean {
  const pass = trackOf(points.map(pointOf))
  return (
    track.needs_rebuild ||
    pass.points !== track.points ||
    pass.checkins !== track.checkins ||
    pass.walkedKm !== track.walked_km ||
    pass.motorizedKm !== track.motorized_km
  )
}

type PointRow = {
  user_id: string
  kind: number
  recorded_at: Date
  lat: number
  lng: number
  accuracy: number | null
  speed: number | null
}
type TrackRow = {
  user_id: string
  points: number
  checkins: number
  walked_km: number
  motorized_km: number
  needs_rebuild: boolean
}

const kindOf = ({ kind }: PointRow): PointKind => (kind === 0 ? 'checkin' : 'track')

const keyOf = (row: PointRow): string =>
  pointKey({ userId: row.user_id, kind: kindOf(row), recordedAt: row.recorded_at.getTime() })

const pointOf = (row: PointRow): Point => ({
  kind: kindOf(row),
  recordedAt: row.recorded_at.getTime(),
  lat: row.lat,
  lng: row.lng,
  accuracy: row.accuracy,
  speed: row.speed,
  altitude: null,
  heading: null,
  source: '',
})
