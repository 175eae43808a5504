import { expect, test } from 'bun:test'
import { DEVICE_OUTCOMES } from '@palanquin/domain/device-delivery'
import { PHONE_APPS } from '@palanquin/domain/phone-apps'
import type { Device } from '../../api/devices.ts'
import { APP_NAMES, APPS_OF, phoneOf } from './apps.ts'
import { hasArrived, problemOf } from './problem.ts'

const NOW = Date.parse('2026-05-01T12:00:00Z')
const device = (over: Partial<Device> = {}): Device => ({
  deviceId: 'd',
  app: 'owntracks',
  name: null,
  lastSeenAt: new Date(NOW).toISOString(),
  lastPointAt: null,
  lastOutcome: 'stored',
  pointsToday: 1,
  battery: null,
  problem: null,
  ...over,
})

test('each outcome but those of points that arrived has a sentence of its own', () => {
  const bad = DEVICE_OUTCOMES.filter((outcome) => outcome !== 'stored' && outcome !== 'duplicate')
  const keys = bad.map((lastOutcome) => problemOf(device({ lastOutcome, problem: 'x' }), NOW))
  expect(new Set(keys).size).toBe(bad.length)
  expect(keys).not.toContain(null)
  expect(problemOf(device(), NOW)).toBeNull()
  expect(problemOf(device({ problem: 'x' }), NOW)).toBe('byHandOnly')
  expect(problemOf(device({ problem: 'x' }), NOW + 31 * 60_000)).toBe('silent')
  expect(problemOf(device({ lastOutcome: null, lastSeenAt: null, problem: 'x' }), NOW)).toBeNull()
})

test('a point that was taken counts, whatever the app sent after it', () => {
  expect(hasArrived(device({ lastOutcome: 'not_a_point' }))).toBe(true)
  expect(hasArrived(device({ pointsToday: 0 }))).toBe(true)
  expect(hasArrived(device({ pointsToday: 0, lastOutcome: 'not_a_point' }))).toBe(false)
})

test('the phone is guessed, every app can be chosen, and none is missing a name', () => {
  expect(phoneOf('Mozilla/5.0 (iPhone; CPU iPhone OS 26_1 like Mac OS X)')).toBe('iphone')
  expect(phoneOf('Mozilla/5.0 (Linux; Android 16; Pixel 9)')).toBe('android')
  expect(new Set([...APPS_OF.iphone, ...APPS_OF.android])).toEqual(new Set(PHONE_APPS))
  expect(APPS_OF.iphone[0]).toBe('overland')
  expect(APPS_OF.android[0]).toBe('traccar')
  expect(Object.keys(APP_NAMES)).toEqual([...PHONE_APPS])
})
