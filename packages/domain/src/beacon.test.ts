import { expect, test } from 'bun:test'
import { carryingFix, motionAfter, stateOf } from './beacon'

const fix = (deviceId: string, recordedAtMs: number, accuracyM: number | null = 8) => ({
  deviceId,
  recordedAtMs,
  accuracyM,
  lat: 24,
  lng: 120.5,
})

test('the carrying device is kept while its accurate fix is at most 30 s old', () => {
  const fixes = [fix('a', 70_000), fix('b', 99_000)]
  expect(carryingFix(fixes, { carrier: 'a', nowMs: 100_000 })?.deviceId).toBe('a')
  expect(carryingFix(fixes, { carrier: 'a', nowMs: 100_001 })?.deviceId).toBe('b')
})

test('an inaccurate fix never carries, and an unknown accuracy does', () => {
  const fixes = [fix('a', 100_000, 101), fix('b', 60_000, 100), fix('c', 50_000, null)]
  expect(carryingFix(fixes, { carrier: null, nowMs: 100_000 })?.deviceId).toBe('b')
  expect(carryingFix([fix('a', 100_000, 101)], { carrier: 'a', nowMs: 100_000 })).toBeNull()
})

test('the last fix of a silent beacon stays shown', () => {
  expect(carryingFix([fix('a', 0)], { carrier: 'a', nowMs: 3_600_000 })?.deviceId).toBe('a')
})

test('five minutes within 50 m are a rest, from where it began; a step away ends it; silence is unknown', () => {
  const at = (lat: number, minutes: number) => ({ lat, lng: 120.5, recordedAtMs: minutes * 60_000 })
  let motion = motionAfter(null, at(24, 0))
  motion = motionAfter(motion, at(24.0002, 4))
  expect(stateOf(motion, 4 * 60_000)).toEqual({ state: 'moving', restingSinceMs: null })
  motion = motionAfter(motion, at(24.0001, 5))
  expect(stateOf(motion, 5 * 60_000)).toEqual({ state: 'resting', restingSinceMs: 0 })
  expect(stateOf(motion, 16 * 60_000)).toEqual({ state: 'unknown', restingSinceMs: null })
  motion = motionAfter(motion, at(24.002, 6))
  expect(stateOf(motion, 6 * 60_000)).toEqual({ state: 'moving', restingSinceMs: null })
})
