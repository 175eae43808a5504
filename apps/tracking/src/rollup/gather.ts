import type { CountedKm } from '@palanquin/domain/distance/tally'
import { QUARTER_MS } from '@palanquin/domain/distance/tally'
import { cellIndex, ROLLUP_LEVEL } from '@palanquin/domain/grid'
import type { Point } from '@palanquin/domain/point'

/** What a batch adds to a participant's quarter of an hour; PostgreSQL sums them by hour, and knows the time zone. */
export type QuarterSum = {
  readonly userId: string
  /** Its start in epoch ms. */
  readonly quarter: number
  /** Whether the participant had a track before. */
  readonly isKnown: boolean
  points: number
  checkins: number
  walkedKm: number
  motorizedKm: number
}

/** What a batch adds to a cell of the grid. */
export type CellSum = {
  readonly latCell: number
  readonly lngCell: number
  points: number
  sumLat: number
  sumLng: number
}

type Advanced = {
  readonly userId: string
  readonly isKnown: boolean
  /** Points that are certainly new. */
  readonly fresh: readonly { readonly point: Point }[]
  readonly counted: readonly CountedKm[]
}

/** What the new points of tracks, and the kilometres counted by them, add to the rollups. */
export function gatherSums(tracks: readonly Advanced[]): { quarters: QuarterSum[]; cells: CellSum[] } {
  const quarters: QuarterSum[] = []
  const cells = new Map<number, CellSum>()
  for (const track of tracks) {
    const from = quarters.length
    for (const { point } of track.fresh) {
      const sum = quarterOf(quarters, from, track, Math.floor(point.recordedAt / QUARTER_MS) * QUARTER_MS)
      sum.points++
      if (point.kind === 'checkin') sum.checkins++
      addTo(cells, point)
    }
    for (const { quarter, walkedKm, motorizedKm } of track.counted) {
      const sum = quarterOf(quarters, from, track, quarter)
      sum.walkedKm += walkedKm
      sum.motorizedKm += motorizedKm
    }
  }
  return { quarters, cells: [...cells.values()] }
}

/** Points and kilometres come in order, so the last quarters are the ones to look at. */
function quarterOf(
  quarters: QuarterSum[],
  from: number,
  { userId, isKnown }: Advanced,
  quarter: number,
): QuarterSum {
  for (let at = quarters.length - 1; at >= from; at--) {
    const sum = quarters[at]
    if (sum?.quarter === quarter) return sum
  }
  const sum = { userId, quarter, isKnown, points: 0, checkins: 0, walkedKm: 0, motorizedKm: 0 }
  quarters.push(sum)
  return sum
}

/** More than there are cells around the earth. */
const CELLS_AROUND = 2 ** (ROLLUP_LEVEL + 3)

function addTo(cells: Map<number, CellSum>, { lat, lng }: Point): void {
  const [latCell, lngCell] = [cellIndex(lat, ROLLUP_LEVEL), cellIndex(lng, ROLLUP_LEVEL)]
  const key = latCell * CELLS_AROUND + lngCell
  const sum = cells.get(key)
  if (sum) {
    sum.points++
    sum.sumLat += lat
    sum.sumLng += lng
  } else cells.set(key, { latCell, lngCell, points: 1, sumLat: lat, sumLng: lng })
}
