import { trackOf } from '@palanquin/domain/distance'
import type { Point, PointKind } from '@palanquin/domain/point'
import type { Stores } from './harness.ts'
import { rollupFaults } from './rollups.ts'

type Key = `${string}|${PointKind}|${number}`
const keyOf = (userId: string, kind: PointKind, recordedAt: number): Key => `${userId}|${kind}|${recordedAt}`

/** What a test has sent, and what was answered for: the invariant of docs/faults.md is checked against it. */
export function ledger() {
  const acknowledged = new Set<Key>()
  const indeterminate = new Set<Key>()
  return {
    note: (userId: string, kind: PointKind, recordedAt: number, answered: boolean): void => {
      const key = keyOf(userId, kind, recordedAt)
      if (answered) acknowledged.add(key)
      else indeterminate.add(key)
    },
    /**
     * Compares with PostgreSQL: lost (answered for, not there), phantom (there, never sent), and participants whose
     * figures are not those of one sorted pass over what is there (a point that counted twice shows in them).
     */
    check: async ({ sql }: Stores) => {
      const rows = await sql<
        Row[]
      >`SELECT user_id, kind, recorded_at, lat, lng, accuracy, speed FROM tracking.points`
      const stored = new Set(rows.map((row) => keyOf(row.user_id, kindOf(row), row.recorded_at.getTime())))
      const tracks = await sql<TrackRow[]>`
        SELECT user_id, points, checkins, walked_km, motorized_km, needs_rebuild FROM tracking.tracks`
      const wrong = tracks.filter((track) => {
        const pass = trackOf(rows.filter(({ user_id }) => user_id === track.user_id).map(pointOf))
        return (
          track.needs_rebuild ||
          pass.points !== track.points ||
          pass.checkins !== track.checkins ||
          pass.walkedKm !== track.walked_km ||
          pass.motorizedKm !== track.motorized_km
        )
      })
      return {
        acknowledged: acknowledged.size,
        lost: [...acknowledged].filter((key) => !stored.has(key)),
        phantom: [...stored].filter((key) => !acknowledged.has(key) && !indeterminate.has(key)),
        doubled: rows.length - stored.size,
        wrong: wrong.map(({ user_id }) => user_id),
        rollups: await rollupFaults(sql),
        trackless: [...new Set(rows.map(({ user_id }) => user_id))].length - tracks.length,
      }
    },
  }
}

export const NOTHING_WRONG = { lost: [], phantom: [], doubled: 0, wrong: [], rollups: [], trackless: 0 }

type Row = {
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

const kindOf = ({ kind }: Row): PointKind => (kind === 0 ? 'checkin' : 'track')

const pointOf = (row: Row): Point => ({
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
