import type { Database } from '@palanquin/db/client'
import { toIso } from '@palanquin/domain/time'
import type { BufferedPoint } from '../buffer/decode.ts'
import { ENSURE_PARTITIONS } from './statements.ts'

const DAY_MS = 86_400_000
const ISO_DAY_CHARACTERS = 10

const dayOf = (ms: number): string => toIso(ms).slice(0, ISO_DAY_CHARACTERS)

/** Makes the partitions of the points table for the days (UTC) of points, one query for each day. */
export function pointsPartitions(db: Database) {
  const known = new Set<string>()
  const ensure = async (days: Iterable<string>): Promise<void> => {
    const missing = [...new Set(days)].filter((day) => !known.has(day))
    if (missing.length === 0) return
    await db.query(ENSURE_PARTITIONS, [missing])
    for (const day of missing) known.add(day)
  }
  return {
    /** @throws StoreUnavailable */
    ensureFor: (points: readonly BufferedPoint[]) => {
      const days = new Set<number>()
      for (const { point } of points) days.add(Math.floor(point.recordedAt / DAY_MS))
      return ensure([...days].map((day) => dayOf(day * DAY_MS)))
    },
    /** Today and tomorrow, before the first point of a new day arrives. @throws StoreUnavailable */
    ensureAhead: (now: number) => ensure([dayOf(now), dayOf(now + DAY_MS)]),
    /** Retention may have dropped a known partition: check again. */
    forget: () => known.clear(),
  }
}

export type PointsPartitions = ReturnType<typeof pointsPartitions>
