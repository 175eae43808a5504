import { expect, test } from 'bun:test'
import { distanceKm, trackOf } from '@palanquin/domain/distance'
import type { Point } from '@palanquin/domain/point'
import { simplifiedIndices } from '@palanquin/domain/simplify'
import fc from 'fast-check'
import { datesIn, nightsOf, walkOf } from './day.ts'
import { drawnDay, pathOf } from './drawing.ts'

const RUNS = { seed: 20_260_412, numRuns: 300 }
const MINUTE_MS = 60_000
const DAY_MS = 1_440 * MINUTE_MS
const START = Date.UTC(2026, 3, 12, 15, 50)

const pointAt = (recordedAt: number, lat: number, lng = 120.7): Point => ({
  kind: 'track',
  recordedAt,
  lat,
  lng,
  accuracy: 8,
  speed: null,
  altitude: null,
  heading: null,
  source: 'web',
})
/** A walk of some days with rests, nights, and vague fixes, in any order. */
const recordings = fc
  .array(
    fc.record({
      afterMs: fc.constantFrom(1_000, MINUTE_MS, 5 * MINUTE_MS, 30 * MINUTE_MS, 9 * 60 * MINUTE_MS, DAY_MS),
      south: fc.constantFrom(0, 0.0002, 0.003),
      accuracy: fc.constantFrom(null, 8, 400),
    }),
    { maxLength: 60 },
  )
  .map((steps) => {
    let [at, lat] = [START, 24.5]
    return steps.map(({ afterMs, south, accuracy }) => {
      ;[at, lat] = [at + afterMs, lat - south]
      return { ...pointAt(at, lat), accuracy }
    })
  })
  .chain((points) => fc.shuffledSubarray(points, { minLength: points.length }))
const zones = fc.constantFrom('Asia/Taipei', 'UTC', 'America/St_Johns', 'Asia/Kathmandu')

test('every point is in the day of its date, and the kilometres of all days are those of the whole', () => {
  fc.assert(
    fc.property(recordings, zones, (points, timezone) => {
      const { days } = walkOf(points, { timezone })
      const format = new Intl.DateTimeFormat('en-CA', { timeZone: timezone })
      for (const day of days)
        for (const { recordedAt } of day.points) expect(format.format(recordedAt)).toBe(day.date)
      expect(days.reduce((sum, day) => sum + day.points.length, 0)).toBe(points.length)
      expect(days.map(({ date }) => date)).toEqual([...new Set(days.map(({ date }) => date))].toSorted())
      expect(days.reduce((sum, { km }) => sum + km, 0)).toBeCloseTo(distanceKm(trackOf(points)), 6)
    }),
    RUNS,
  )
})

test('a gap stays a gap: lines and gaps together are the way, and lines have recorded points alone', () => {
  fc.assert(
    fc.property(recordings, zones, (points, timezone) => {
      const { days, gaps } = walkOf(points, { timezone })
      const lines = days.flatMap(({ parts }) => parts)
      for (const [from, to] of gaps)
        for (const line of lines)
          expect(
            (line[0]?.recordedAt ?? 0) >= to.recordedAt || (line.at(-1)?.recordedAt ?? 0) <= from.recordedAt,
          ).toBe(true)
      const recorded = new Set(points.filter(({ accuracy }) => accuracy !== 400).map((one) => one.recordedAt))
      for (const { recordedAt } of lines.flat()) expect(recorded.has(recordedAt)).toBe(true)
      expect(new Set(lines.flat().map(({ recordedAt }) => recordedAt))).toEqual(recorded)
      const wholeMs = days.reduce((sum, day) => sum + day.onTheWayMs, 0)
      const gapMs = gaps.reduce((sum, [from, to]) => sum + to.recordedAt - from.recordedAt, 0)
      const [first, last] = [Math.min(...recorded), Math.max(...recorded)]
      expect(wholeMs + gapMs).toBe(recorded.size === 0 ? 0 : last - first)
    }),
    RUNS,
  )
})

test('a night is where the last point of its day was, and only between two days that follow each other', () => {
  fc.assert(
    fc.property(recordings, zones, (points, timezone) => {
      const { days } = walkOf(points, { timezone })
      const dates = new Set(days.map(({ date }) => date))
      const nights = nightsOf(days)
      const followed = days.filter(({ date }) =>
        dates.has(new Date(Date.parse(date) + DAY_MS).toISOString().slice(0, 10)),
      )
      expect(nights.map(({ date }) => date)).toEqual(followed.map(({ date }) => date))
      for (const { date, at, sinceMs } of nights) {
        const last = days.find((day) => day.date === date)?.points.at(-1)
        expect([at.lat, at.lng, sinceMs]).toEqual([last?.lat ?? 0, last?.lng ?? 0, last?.recordedAt ?? 0])
      }
    }),
    RUNS,
  )
})

test('a day that begins at midnight of the activity, not of the phone', () => {
  const dateOf = datesIn('Asia/Taipei')
  expect(dateOf(Date.UTC(2026, 3, 12, 15, 59, 59, 999))).toBe('2026-04-12')
  expect(dateOf(Date.UTC(2026, 3, 12, 16))).toBe('2026-04-13')
  const walk = walkOf(
    [0, 1, 2].map((minutes) =>
      pointAt(Date.UTC(2026, 3, 12, 15, 59) + minutes * MINUTE_MS, 24.5 - minutes * 0.001),
    ),
    { timezone: 'Asia/Taipei' },
  )
  // The stretch over midnight belongs to the new day, and the line goes on without a gap.
  expect(walk.days.map(({ parts }) => parts.map((part) => part.length))).toEqual([[1], [3]])
  expect(walk.gaps).toEqual([])
})

test('what is drawn keeps the ends of every line, adds no place, and is near every point that it leaves out', () => {
  fc.assert(
    fc.property(recordings, (points) => {
      for (const day of walkOf(points, { timezone: 'Asia/Taipei' }).days) {
        const { lines, start } = drawnDay(day, 0)
        expect(lines.length).toBe(day.parts.length)
        expect(start).toEqual(lines[0]?.[0] ?? null)
        for (const [index, line] of lines.entries()) {
          const part = (day.parts[index] ?? []).map(({ lng, lat }): [number, number] => [lng, lat])
          expect([line[0], line.at(-1)]).toEqual([part[0], part.at(-1)])
          expect(line).toEqual(simplifiedIndices(part, 10).flatMap((at) => part.slice(at, at + 1)))
        }
      }
    }),
    RUNS,
  )
  expect(pathOf([[1, 2]])).toBe('M1 2h0')
})
