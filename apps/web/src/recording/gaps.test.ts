import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { type LinePoint, lineOf } from './gaps.ts'
import { resume } from './interruption.ts'

const MINUTE = 60_000
const at = (minutes: number): LinePoint => ({
  lat: 24,
  lng: 120 + minutes / 1_000,
  recordedAt: minutes * MINUTE,
})
const minutesOf = (points: readonly LinePoint[]) => points.map(({ recordedAt }) => recordedAt / MINUTE)

test('a track without a break is one part, in the order of time', () => {
  const { parts, gaps } = lineOf([at(2), at(0), at(1), at(7)], [])
  expect([parts.map(minutesOf), gaps]).toEqual([[[0, 1, 2, 7]], []])
})

test('a silence of more than six minutes, and a known interruption, are gaps', () => {
  const { parts, gaps } = lineOf(
    [at(0), at(1), at(36), at(37), at(39)],
    [{ fromMs: 37.2 * MINUTE, toMs: 38.9 * MINUTE }],
  )
  expect(parts.map(minutesOf)).toEqual([[0, 1], [36, 37], [39]])
  expect(gaps.map(minutesOf)).toEqual([
    [1, 36],
    [37, 39],
  ])
})

test('every point is in exactly one part, and a gap joins two points that there are', () => {
  const points = fc.array(fc.integer({ min: 0, max: 600 }).map(at), { maxLength: 60 })
  const spans = fc.array(
    fc
      .tuple(fc.integer({ min: 0, max: 600 }), fc.integer({ min: 1, max: 60 }))
      .map(([from, long]) => ({ fromMs: from * MINUTE, toMs: (from + long) * MINUTE })),
    { maxLength: 5 },
  )
  fc.assert(
    fc.property(points, spans, (track, interruptions) => {
      const { parts, gaps } = lineOf(track, interruptions)
      expect(minutesOf(parts.flat())).toEqual(minutesOf(track).sort((a, b) => a - b))
      expect(gaps.length).toBe(Math.max(0, parts.length - 1))
      for (const [index, [from, to]] of gaps.entries())
        expect([from, to]).toEqual([parts[index]?.at(-1) ?? from, parts[index + 1]?.[0] ?? to])
      for (const part of parts)
        for (const [index, point] of part.entries())
          expect(point.recordedAt - (part[index - 1]?.recordedAt ?? point.recordedAt)).toBeLessThanOrEqual(
            6 * MINUTE,
          )
    }),
    { seed: 18 },
  )
})

test.each([
  [0, 'on'],
  [59_999, 'on'],
  [MINUTE, 'interrupted'],
  [35 * MINUTE, 'interrupted'],
  [12 * 60 * MINUTE, 'over'],
] as const)('a recording that was last alive %d ms ago is %s', (awayMs, expected) => {
  expect(resume({ aliveMs: 1_000, nowMs: 1_000 + awayMs })).toBe(expected)
})
