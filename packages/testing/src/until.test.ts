import { expect, test } from 'bun:test'
import { comparePoints } from '@palanquin/domain/distance'
import { isUserId } from '@palanquin/domain/ids'
import { judgePoint } from '@palanquin/domain/point/judge'
import fc from 'fast-check'
import { anyPoint, anyTrack, anyUserId } from './arbitrary.ts'
import { capturedLog } from './captured-log.ts'
import { testClock } from './clock.ts'
import { until } from './until.ts'

test('until gives the first truthy value', async () => {
  let asked = 0
  expect(await until(() => ++asked === 3 && 'there', { what: 'the third asking' })).toBe('there')
})

test('until says what did not happen, and the last error of the condition', async () => {
  const failing = () => {
    throw new Error('connection refused')
  }
  const error = await until(failing, { what: 'the connection', timeoutMs: 20 }).catch(
    (caught: Error) => caught,
  )
  expect(error).toMatchObject({
    message: 'did not happen within 20 ms: the connection',
    cause: { message: 'connection refused' },
  })
})

test('a clock stands still until it is moved', () => {
  const clock = testClock(1_000)
  clock.advance(500)
  expect(clock.now()).toBe(1_500)
  clock.set(7)
  expect(clock.now()).toBe(7)
})

test('a captured log keeps fields, level and text of each line', () => {
  const { log, lines } = capturedLog()
  log.debug({ store: 'redis' }, 'away')
  expect(lines).toMatchObject([{ level: 'debug', store: 'redis', msg: 'away' }])
})

test('arbitrary points and user ids are valid', () => {
  const now = Date.parse('2026-05-01T00:00:00Z')
  fc.assert(
    fc.property(anyPoint({ now }), anyUserId(), (point, userId) => {
      const { kind, ...input } = point
      const judged = judgePoint(input, { now, sources: [point.source], defaultSource: 'auto', kind })
      expect(judged).toEqual({ point })
      expect(isUserId(userId)).toBe(true)
    }),
    { seed: 11 },
  )
})

test('arbitrary tracks are in order of time', () => {
  fc.assert(
    fc.property(anyTrack(), (track) => {
      const times = track.map(({ recordedAt }) => recordedAt)
      expect(times).toEqual(times.toSorted((a, b) => a - b))
      expect(track.toSorted(comparePoints)).toHaveLength(track.length)
    }),
    { seed: 12 },
  )
})
