import { expect, test } from 'bun:test'
import fc from 'fast-check'
import type { LinePoint } from './gaps.ts'
import { askFrom, NOTHING_YET, type TrackSoFar, withRead, withWaiting } from './track-so-far.ts'

const SEED = 20260501
const MINUTE_MS = 60_000
const START_MS = 1_790_000_000_000
const at = (minute: number): LinePoint => ({ lat: 24, lng: 120, recordedAt: START_MS + minute * MINUTE_MS })
const minutesOf = ({ stored, own }: TrackSoFar) =>
  [...stored, ...own].map(({ recordedAt }) => (recordedAt - START_MS) / MINUTE_MS).toSorted((a, b) => a - b)
const readAll = (minutes: readonly number[], waiting: readonly number[] = []) =>
  withRead(NOTHING_YET, {
    since: minutes.map(at),
    from: undefined,
    waiting: waiting.map(at),
    nowMs: START_MS,
  })

test('the whole track is asked for once, then only what may be new', () => {
  expect(askFrom(NOTHING_YET)).toBeUndefined()
  expect(askFrom(readAll([0, 500]))).toBe(at(485).recordedAt)
})

test('what was sent stays until the service shows its time, and is then as the service says', () => {
  const walking = readAll([0, 1], [2, 3])
  const sent = withRead(walking, {
    since: [at(0), at(1)],
    from: askFrom(walking),
    waiting: [],
    nowMs: START_MS,
  })
  expect(minutesOf(sent)).toEqual([0, 1, 2, 3])
  // The point of minute 2 was refused.
  const flushed = withRead(sent, {
    since: [at(0), at(1), at(3)],
    from: askFrom(sent),
    waiting: [],
    nowMs: START_MS,
  })
  expect(minutesOf(flushed)).toEqual([0, 1, 3])
  expect(flushed.own).toEqual([])
})

test('without an answer the track is as it was, with what waits on this phone', () => {
  expect(minutesOf(withWaiting(readAll([0, 1]), [at(1), at(2)]))).toEqual([0, 1, 2])
})

test('read in parts, a walk is what it is when read at once, and no point is there twice', () => {
  const steps = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 40 })
  fc.assert(
    fc.property(steps, fc.array(fc.boolean(), { minLength: 40, maxLength: 40 }), (given, answered) => {
      let minute = 0
      const all: number[] = []
      let track = NOTHING_YET
      for (const [n, step] of given.entries()) {
        minute += step
        all.push(minute)
        const from = askFrom(track)
        const since = all.map(at).filter(({ recordedAt }) => from === undefined || recordedAt >= from)
        track = answered[n]
          ? withRead(track, { since, from, waiting: [], nowMs: START_MS })
          : withWaiting(track, [at(minute)])
      }
      expect(minutesOf(track)).toEqual(all)
    }),
    { seed: SEED },
  )
})
