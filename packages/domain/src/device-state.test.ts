import { expect, test } from 'bun:test'
import { DEVICE_OUTCOMES } from './device-delivery'
import { deviceProblem } from './device-state'

const NOW = Date.parse('2026-05-01T12:00:00Z')
const last = (over = {}) => ({ outcome: 'stored' as const, byHand: false, seenAtMs: NOW, ...over })

test('nothing is wrong where points arrive, be they sent again', () => {
  expect(deviceProblem(last(), NOW)).toBeNull()
  expect(deviceProblem(last({ outcome: 'duplicate' }), NOW)).toBeNull()
  expect(deviceProblem(last(), NOW + 30 * 60_000)).toBeNull()
})

test('every other outcome, silence and points sent by hand alone have a sentence', () => {
  for (const outcome of DEVICE_OUTCOMES)
    if (outcome !== 'stored' && outcome !== 'duplicate')
      expect(deviceProblem(last({ outcome }), NOW)).toMatch(/^[A-Z].+\.$/)
  expect(deviceProblem(null, NOW)).toContain('Nothing has arrived')
  expect(deviceProblem(last({ byHand: true }), NOW)).toContain('While Using')
  expect(deviceProblem(last(), NOW + 30 * 60_000 + 1)).toContain('half an hour')
})
