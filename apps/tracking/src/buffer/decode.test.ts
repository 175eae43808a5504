import { expect, test } from 'bun:test'
import { shardOf } from '@palanquin/domain/ids'
import fc from 'fast-check'
import { decodeEntry } from './decode.ts'
import { decodeLatest } from './decode-latest.ts'

const NOW = Date.UTC(2026, 4, 1)
const USER_ID = 'U1'
const entryOf = (p: string, more: Record<string, string> = {}) => ({
  id: '1-0',
  fields: { u: USER_ID, k: 't', s: 'ios', r: String(NOW), n: '1', p, ...more },
})
const latestOf = (p: string) => decodeLatest(entryOf(p), shardOf(USER_ID))

test('the latest point of an entry is the latest valid one, and the first of those with that time', () => {
  const time = fc.oneof(
    fc.integer({ min: 0, max: 5 }).map((minutes) => NOW - minutes * 60_000),
    fc.constantFrom(null, 'now', NOW + 86_400_000, Number.NaN),
  )
  const latitude = fc.oneof(fc.double({ min: -90, max: 90, noNaN: true }), fc.constantFrom(null, 91, 'north'))
  const tuple = fc.oneof(
    { weight: 9, arbitrary: fc.tuple(time, latitude, fc.constant(120.5)).map((of) => [...of]) },
    { weight: 1, arbitrary: fc.constantFrom<unknown>(null, 7, {}, []) },
  )
  fc.assert(
    fc.property(fc.array(tuple, { maxLength: 12 }), (tuples) => {
      const packed = JSON.stringify(tuples)
      const sound = decodeEntry(entryOf(packed), shardOf(USER_ID)).points.map(({ point }) => point)
      const time = Math.max(...sound.map(({ recordedAt }) => recordedAt))
      const latest = sound.find(({ recordedAt }) => recordedAt === time)
      expect(latestOf(packed)).toEqual(latest ? { userId: USER_ID, point: latest } : null)
    }),
    { seed: 20260421, numRuns: 1_000 },
  )
})

test('an invalid entry gives the map no point', () => {
  for (const packed of ['', '[]', '{}', 'no json']) expect(latestOf(packed)).toBeNull()
  const good = `[[${NOW},24,120]]`
  expect(latestOf(good)?.point.lat).toBe(24)
  for (const wrong of [{ u: 'no id' }, { k: 'x' }, { s: '' }, { r: '7' }])
    expect(decodeLatest(entryOf(good, wrong), shardOf(USER_ID))).toBeNull()
  expect(decodeLatest(entryOf(good), shardOf(USER_ID) + 1)).toBeNull()
})
