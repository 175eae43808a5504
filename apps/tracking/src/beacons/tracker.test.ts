import { expect, test } from 'bun:test'
import { BeaconTracker } from './tracker.ts'

const fix = (deviceId: string, seconds: number, { lat = 24, accuracyM = 8 } = {}) => ({
  deviceId,
  recordedAtMs: seconds * 1_000,
  lat,
  lng: 120.5,
  accuracyM,
})

test('a silent device is replaced by another within 30 s, and the beacon does not jump back', () => {
  const beacon = new BeaconTracker()
  beacon.add(fix('a', 0), 0)
  beacon.add(fix('b', 5, { lat: 24.001 }), 5_000)
  expect(beacon.view(10_000)?.fix.deviceId).toBe('a')
  beacon.add(fix('b', 31, { lat: 24.002 }), 31_000)
  expect(beacon.view(31_000)?.fix).toMatchObject({ deviceId: 'b', lat: 24.002 })
  beacon.add(fix('a', 20), 32_000)
  expect(beacon.view(32_000)?.fix.deviceId).toBe('b')
})

test('an inaccurate fix moves nothing', () => {
  const beacon = new BeaconTracker()
  beacon.add(fix('a', 0), 0)
  beacon.add(fix('a', 20, { lat: 24.5, accuracyM: 300 }), 20_000)
  expect(beacon.view(20_000)?.fix.lat).toBe(24)
})

test('speed and heading follow from two fixes', () => {
  const beacon = new BeaconTracker()
  beacon.add(fix('a', 0), 0)
  beacon.add(fix('a', 30, { lat: 24 + 50 / 111_195 }), 30_000)
  expect(beacon.view(30_000)).toMatchObject({ state: 'moving', speedKmh: 6, heading: 0 })
})

test('a jump to another phone is no speed', () => {
  const beacon = new BeaconTracker()
  beacon.add(fix('a', 0), 0)
  beacon.add(fix('b', 31, { lat: 24.1 }), 31_000)
  expect(beacon.view(31_000)).toMatchObject({ state: 'moving', speedKmh: null, heading: null })
})

test('a device that was taken away is forgotten', () => {
  const beacon = new BeaconTracker()
  beacon.add(fix('a', 0), 0)
  beacon.keepDevices(new Set(['b']))
  beacon.add(fix('b', 1, { lat: 24.1 }), 1_000)
  expect(beacon.view(1_000)?.fix.deviceId).toBe('b')
})
