import { expect, test } from 'bun:test'
import { pack } from './packed.ts'

test('a point near the previous one takes a byte or two per field, and far points stay exact', () => {
  expect([...pack([[1, -1, 64, 0, 300]])]).toEqual([2, 1, 0x80, 1, 0, 0xd8, 4])
  expect(
    [
      ...pack([
        [1_000, 5, 5, 5, 5],
        [1_001, 4, 5, 6, 5],
      ]),
    ].slice(-5),
  ).toEqual([2, 1, 0, 2, 0])
})
