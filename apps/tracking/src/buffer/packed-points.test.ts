import { expect, test } from 'bun:test'
import { shardOf } from '@palanquin/domain/ids'
import fc from 'fast-check'
import { decodeEntry } from './decode.ts'
import { decodeLatest } from './decode-latest.ts'
import type { Tuple } from './entry.ts'
import { fingerprint } from './fingerprint.ts'
import { packTuples } from './pack-sync.ts'
import { PACKED_MARK, POINTS_MAX } from './packed-layout.ts'
import { unpackPoints } from './unpack-points.ts'

const NOW = Date.UTC(2026, 4, 1)
const USER_ID = 'U1'
const SEED = 20261122

const measure = (max: number) =>
  fc.oneof(
    fc.constant(null),
    fc.integer({ min: 0, max: max * 100 }).map((hundredths) => hundredths / 100),
    fc.double({ min: 0, max, noNaN: true }),
  )
const degrees = (max: number) =>
  fc.oneof(
    fc.integer({ min: -max * 1e7, max: max * 1e7 }).map((scaled) => scaled / 1e7),
    fc.double({ min: -max, max, noNaN: true }).map((value) => value + 0),
  )
const tuple = fc
  .tuple(
    fc.integer({ min: NOW - 2_000_000_000, max: NOW }),
    degrees(90),
    degrees(180),
    measure(40_000_000),
    measure(1_000_000),
    fc.oneof(measure(100_000), fc.double({ min: -12_000, max: 0, noNaN: true })),
    measure(360),
    fc.option(fc.integer({ min: 0, max: 100 })),
  )
  .map(([at, lat, lng, accuracy, speed, altitude, heading, battery]): Tuple => {
    const plain = [at, lat, lng, accuracy, speed, altitude, heading] as const
    return battery === null ? plain : [...plain, null, null, battery]
  })
const tuples = fc.array(tuple, { minLength: 1, maxLength: 30 })
const entryOf = (p: string) => ({
  id: '1-0',
  fields: { u: USER_ID, k: 't', s: 'ios', r: String(NOW), n: '1', p },
})
/** JSON has no negative zero either. */
const asWritten = (given: unknown): unknown => JSON.parse(JSON.stringify(given))

test('points come back from their packed form as from JSON, to the last bit', () => {
  fc.assert(
    fc.property(tuples, (given) => {
      const { packed, count } = packTuples(given)
      expect(packed.startsWith(PACKED_MARK)).toBe(true)
      expect(count).toBe(given.length)
      expect<unknown>(asWritten(unpackPoints(packed))).toEqual(asWritten(given))
      const [one, other] = [entryOf(packed), entryOf(JSON.stringify(given))]
      const shard = shardOf(USER_ID)
      expect(decodeEntry(one, shard).points).toEqual(decodeEntry(other, shard).points)
      expect(decodeLatest(one, shard)).toEqual(decodeLatest(other, shard))
    }),
    { seed: SEED, numRuns: 2_000 },
  )
})

test('an outline has the time and the fingerprint of each point', () => {
  fc.assert(
    fc.property(tuples, (given) => {
      const { earliest, latest, outline } = packTuples(given)
      const times = given.map(([at]) => at)
      expect(earliest).toBe(Math.min(...times))
      expect(latest).toBe(Math.max(...times))
      const expected = given.map(
        ([at, lat, lng, accuracy, speed]) => `${at - earliest}.${fingerprint(lat, lng, accuracy, speed)}`,
      )
      expect(outline).toBe(expected.join(','))
    }),
    { seed: SEED, numRuns: 500 },
  )
})

test('a point of a walk takes few bytes', () => {
  const walk = Array.from(
    { length: POINTS_MAX },
    (_, i): Tuple => [NOW + i * 10_000, 24 + Math.round(i * 120) / 1e6, 120.5, 8, 4.9, null, null],
  )
  const { packed } = packTuples(walk)
  expect(packed.length).toBeLessThan(14 * POINTS_MAX)
  expect(unpackPoints(packed)).toEqual(walk)
})

test('points with a source or a note of their own stay JSON', () => {
  const at = [NOW, 24, 120, null, null, null, null] as const
  for (const own of [[...at, 'web'] as const, [...at, null, 'here'] as const])
    expect(packTuples([at, own]).packed).toBe(JSON.stringify([at, own]))
})

test('what is no packed text, or is cut off, is refused and never read past its end', () => {
  expect(unpackPoints(PACKED_MARK)).toBeString()
  const { packed: padded } = packTuples([[NOW, 24.5, 120.12345678901235, 8, null, null, null]])
  const packed = padded.replace(/=+$/, '')
  for (let end = PACKED_MARK.length; end < packed.length; end++)
    expect(unpackPoints(packed.slice(0, end))).toBeString()
  expect(unpackPoints(PACKED_MARK + Buffer.alloc(POINTS_MAX * 4 + 4).toString('base64'))).toBeString()
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
      const entry = entryOf(PACKED_MARK + Buffer.from(bytes).toString('base64'))
      const { points, setAside } = decodeEntry(entry, shardOf(USER_ID))
      for (const { point } of points) expect(Math.abs(point.lat)).toBeLessThanOrEqual(90)
      expect(points.length + setAside.length).toBeGreaterThan(0)
    }),
    { seed: SEED, numRuns: 2_000 },
  )
})
