import { advanceAll, distanceKm, emptyTrack, inOrder } from '@palanquin/domain/distance'
import { countsForDistance } from '@palanquin/domain/distance/filter'
import type { Place } from '@palanquin/domain/geo'
import type { Point } from '@palanquin/domain/point'
import { type LinePoint, lineOf } from '../recording/gaps.ts'

/** A day of the walk in the activity's time zone. */
export type Day = {
  /** `2026-04-13`. */
  date: string
  points: readonly Point[]
  /** By the rules of the distance: those of all days add up to the kilometres of the whole. */
  km: number
  /** Stretches without a break; one that goes on over midnight begins at the last point before it. */
  parts: readonly (readonly LinePoint[])[]
  /** How long these stretches took, in milliseconds. */
  onTheWayMs: number
}
export type Walk = {
  days: readonly Day[]
  /** Where nothing was recorded: from the last point before to the first one after. */
  gaps: readonly (readonly [LinePoint, LinePoint])[]
}
/** The night after a day: where the day's last point was. */
export type Night = { date: string; at: Place; sinceMs: number }

type Span = { fromMs: number; toMs: number }

/** Days begin at a quarter of an hour everywhere on Earth. */
const QUARTER_MS = 900_000
const DAY_MS = 86_400_000

/** The date of an instant in a time zone, as `2026-04-13`. */
export function datesIn(timezone: string): (atMs: number) => string {
  const format = new Intl.DateTimeFormat('en-CA', { timeZone: timezone, dateStyle: 'short' })
  const known = new Map<number, string>()
  return (atMs) => {
    const quarter = Math.floor(atMs / QUARTER_MS)
    const date = known.get(quarter) ?? format.format(quarter * QUARTER_MS)
    known.set(quarter, date)
    return date
  }
}

/** The walk by day: every point in one day, and nothing drawn where nothing was recorded or is too vague. */
export function walkOf(
  points: readonly Point[],
  { timezone, interruptions = [] }: { timezone: string; interruptions?: readonly Span[] },
): Walk {
  const dateOf = datesIn(timezone)
  const ordered = inOrder(points, (point) => point)
  const byDate = Map.groupBy(ordered, ({ recordedAt }) => dateOf(recordedAt))
  const line = lineOf(ordered.filter(countsForDistance), interruptions)
  const parts = Map.groupBy(
    line.parts.flatMap((part) => cutAtMidnight(part, dateOf)),
    (part) => dateOf(part.at(-1)?.recordedAt ?? 0),
  )
  let track = emptyTrack()
  const days = [...byDate].map(([date, ofDay]) => {
    const before = distanceKm(track)
    track = advanceAll(track, ofDay)
    const own = parts.get(date) ?? []
    const onTheWayMs = own.reduce(
      (sum, part) => sum + (part.at(-1)?.recordedAt ?? 0) - (part[0]?.recordedAt ?? 0),
      0,
    )
    return { date, points: ofDay, km: distanceKm(track) - before, parts: own, onTheWayMs }
  })
  return { days, gaps: line.gaps }
}

function cutAtMidnight(part: readonly LinePoint[], dateOf: (atMs: number) => string): LinePoint[][] {
  const pieces: LinePoint[][] = []
  let last: LinePoint | undefined
  for (const point of part) {
    const piece = pieces.at(-1)
    const isNew = last === undefined || dateOf(last.recordedAt) !== dateOf(point.recordedAt)
    if (piece === undefined || isNew) pieces.push(last === undefined ? [point] : [last, point])
    else piece.push(point)
    last = point
  }
  return pieces
}

/** The nights between two days of the walk that follow each other: of any other nothing is known. */
export function nightsOf(days: readonly Day[]): Night[] {
  return days.flatMap(({ date, points }, index) => {
    const last = points.at(-1)
    const next = days[index + 1]
    return last && next && Date.parse(next.date) - Date.parse(date) === DAY_MS
      ? [{ date, at: { lat: last.lat, lng: last.lng }, sinceMs: last.recordedAt }]
      : []
  })
}
