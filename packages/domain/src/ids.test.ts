import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { Check } from 'typebox/value'
import { isUserId, SHARD_COUNT, shardOf, shardTag, UserId } from './ids'

test('a userId is 1 to 64 letters, digits, _ or -', () => {
  const good = ['U4af4980629c1f0b8d3e5a7c6b9d0e1f2', 'a', '-', '_', 'x'.repeat(64)]
  const bad = [
    '',
    'x'.repeat(65),
    'a b',
    'a/b',
    'a.b',
    '香客',
    'abc\n',
    ' abc',
    'a\u0000',
    7,
    null,
    undefined,
    ['a'],
    { length: 1 },
  ]
  expect(good.filter((id) => !isUserId(id))).toEqual([])
  expect(bad.filter(isUserId)).toEqual([])
  expect([...good, ...bad].filter((id) => Check(UserId, id) !== isUserId(id))).toEqual([])
})

test('the shard of an id never changes: FNV-1a by its published vectors, modulo 16', () => {
  // FNV-1a 32: '' 0x811c9dc5, 'a' 0xe40c292c, 'foobar' 0xbf9cf968 (the reference vectors of the algorithm's authors).
  expect(['', 'a', 'foobar'].map(shardOf)).toEqual([0x5, 0xc, 0x8])
  expect(['U4af4980629c1f0b8d3e5a7c6b9d0e1f2', 'walker-1', 'walker-2'].map(shardOf)).toEqual([14, 13, 4])
})

test('every id has a shard, and ids spread over all of them', () => {
  const id = fc.stringMatching(/^[A-Za-z0-9_-]{1,64}$/)
  fc.assert(
    fc.property(id, (userId) => {
      const shard = shardOf(userId)
      return Number.isInteger(shard) && shard >= 0 && shard < SHARD_COUNT
    }),
    { seed: 1 },
  )
  const counts = new Map<number, number>()
  for (let i = 0; i < 16_000; i++) {
    const shard = shardOf(`U${i.toString(16).padStart(32, '0')}`)
    counts.set(shard, (counts.get(shard) ?? 0) + 1)
  }
  expect(counts.size).toBe(SHARD_COUNT)
  expect(Math.max(...counts.values())).toBeLessThan(1500)
})

test('a shard has a Redis hash tag of its own; there is no seventeenth', () => {
  expect([0, 7, 15].map(shardTag)).toEqual(['{s00}', '{s07}', '{s15}'])
  expect(() => shardTag(16)).toThrow(RangeError)
  expect(() => shardTag(-1)).toThrow(RangeError)
})
