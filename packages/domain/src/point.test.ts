import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { Check } from 'typebox/value'
import { DEFAULT_SOURCES, type Point } from './point'
import { CheckinBody, SyncPoint, TrackSyncBody } from './point/input'
import { instantProblem, judgePoint, measurement } from './point/judge'
import { parseRecordedAt } from './time'

const now = Date.UTC(2026, 4, 1, 12)
const fields = { lat: 24.1, lng: 120.6, recordedAt: now }

function judge(input: unknown) {
  return judgePoint(input, { now, sources: DEFAULT_SOURCES, defaultSource: 'auto', kind: 'track' })
}

test('a complete point is accepted unchanged', () => {
  const whole = { ...fields, accuracy: 5, speed: 4, altitude: 12, heading: 360, source: 'owntracks' }
  expect(judge(whole)).toEqual({ point: { ...whole, kind: 'track' } })
})

test('missing fields of a point are null, and its source is that of the sync', () => {
  const point: Point = {
    ...fields,
    kind: 'track',
    accuracy: null,
    speed: null,
    altitude: null,
    heading: null,
    source: 'auto',
  }
  expect(judge({ ...fields, recordedAt: '2026-05-01T20:00:00+08:00' })).toEqual({ point })
  expect(
    judge({ ...fields, accuracy: null, speed: null, altitude: null, heading: null, source: null }),
  ).toEqual({ point })
})

test('a negative accuracy, speed or heading means unknown, as of iOS, and becomes null', () => {
  for (const unknown of [-1, -0.1, -1e308])
    expect(judge({ ...fields, accuracy: unknown, speed: unknown, heading: unknown, altitude: -3 })).toEqual({
      point: {
        ...fields,
        kind: 'track',
        source: 'auto',
        altitude: -3,
        accuracy: null,
        speed: null,
        heading: null,
      },
    })
  expect([measurement(-1), measurement(undefined), measurement(null), measurement(0)]).toEqual([
    null,
    null,
    null,
    0,
  ])
})

test('a number of recordedAt below 1e11 is epoch seconds, with or without a fraction', () => {
  const at = (recordedAt: number) => {
    const verdict = judge({ ...fields, recordedAt })
    return 'point' in verdict ? verdict.point.recordedAt : verdict.rejected
  }
  expect([at(now), at(now / 1000), at(now / 1000 - 0.123)]).toEqual([now, now, now - 123])
  expect([at(99_999_999_999), at(100_000_000_000), at(-1), at(now + 0.5)]).toEqual([
    'future',
    'too_old',
    'too_old',
    'invalid',
  ])
})

test('a malformed point is invalid', () => {
  const bad = [
    null,
    undefined,
    'point',
    7,
    [],
    {},
    { ...fields, lat: undefined },
    { ...fields, lat: null },
    { ...fields, lat: '24.1' },
    { ...fields, lat: 90.0001 },
    { ...fields, lng: -180.0001 },
    { ...fields, lat: Number.NaN },
    { ...fields, accuracy: Number.POSITIVE_INFINITY },
    { ...fields, heading: 360.1 },
    { ...fields, altitude: '3' },
    { ...fields, recordedAt: undefined },
    { ...fields, recordedAt: '2026-05-01T12:00:00' },
    { ...fields, recordedAt: '2026-02-30T12:00:00Z' },
    { ...fields, source: 'admin' },
    { ...fields, source: 'line' },
    { ...fields, source: '' },
    { ...fields, source: 7 },
  ]
  for (const input of bad)
    expect({ input, verdict: judge(input) }).toEqual({ input, verdict: { rejected: 'invalid' } })
})

test('a point may lie exactly 5 minutes ahead and exactly 30 days back, and no further', () => {
  const [ahead, back] = [now + 300_000, now - 30 * 86_400_000]
  expect([ahead, ahead + 1, back, back - 1].map((ms) => instantProblem(ms, now))).toEqual([
    null,
    'future',
    null,
    'too_old',
  ])
  expect(judge({ ...fields, recordedAt: ahead + 1 })).toEqual({ rejected: 'future' })
  expect(judge({ ...fields, recordedAt: back - 1 })).toEqual({ rejected: 'too_old' })
  expect(judge({ ...fields, recordedAt: 0, lat: 91 })).toEqual({ rejected: 'invalid' })
})

test('the verdict agrees with the schema of a point', () => {
  const odd = fc.oneof(
    fc.double({ noDefaultInfinity: true }), // JSON knows none
    fc.constantFrom(null, undefined, '5', true),
    fc.double({ min: -200, max: 400, noNaN: true }),
  )
  const input = fc.record({
    lat: odd,
    lng: odd,
    accuracy: odd,
    speed: odd,
    altitude: odd,
    heading: odd,
    recordedAt: fc.constantFrom(now, '2026-05-01T12:00:00Z', 'noon', null, 1.5),
  })
  fc.assert(
    fc.property(input, (point) => {
      const valid = Check(SyncPoint, point) && parseRecordedAt(point.recordedAt) !== null
      const verdict = judge(point)
      expect('point' in verdict || verdict.rejected === 'too_old').toBe(valid)
    }),
    { seed: 6, numRuns: 3000 },
  )
})

test('a check-in needs a userId and a place; everything else may be left out or null', () => {
  const body = { userId: 'U1', lat: 24.1, lng: 120.6 }
  const nothing = {
    source: null,
    note: null,
    recordedAt: null,
    accuracy: null,
    speed: null,
    altitude: null,
    heading: null,
  }
  const good = [
    body,
    { ...body, ...nothing },
    { ...body, note: '好'.repeat(200), recordedAt: now, unknown: 1 },
  ]
  const bad = [
    { lat: 24.1, lng: 120.6 },
    { ...body, userId: 'a b' },
    { ...body, lat: 91 },
    { ...body, lng: '120' },
    { ...body, note: '好'.repeat(201) },
    { ...body, accuracy: '5' },
    { ...body, recordedAt: true },
    { ...body, source: 7 },
  ]
  expect(good.filter((value) => !Check(CheckinBody, value))).toEqual([])
  expect(bad.filter((value) => Check(CheckinBody, value))).toEqual([])
})

test('a sync carries 1 to 1000 points, and one invalid point does not affect the others', () => {
  const sync = (points: unknown) => Check(TrackSyncBody, { userId: 'U1', points })
  expect([sync([null]), sync(Array(1000).fill(fields))]).toEqual([true, true])
  expect([sync([]), sync(Array(1001).fill(fields)), sync({}), sync(undefined)]).toEqual([
    false,
    false,
    false,
    false,
  ])
})
