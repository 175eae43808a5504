import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { countPending, isAfter, lastReceivedMs, readPending } from './pending-checkins'

test('entry ids are compared by number, not by text', () => {
  expect(isAfter('10-0', '9-0')).toBe(true)
  expect(isAfter('9-0', '10-0')).toBe(false)
  expect(isAfter('10-10', '10-9')).toBe(true)
  expect(isAfter('10-9', '10-9')).toBe(false)
  expect(isAfter('1-18446744073709551615', '1-18446744073709551614')).toBe(true)
})

test('order of entry ids is the order of their pairs of numbers', () => {
  const id = fc.tuple(fc.nat(1000), fc.nat(20))
  fc.assert(
    fc.property(id, id, (a, b) => {
      const after = a[0] > b[0] || (a[0] === b[0] && a[1] > b[1])
      expect(isAfter(a.join('-'), b.join('-'))).toBe(after)
    }),
    { seed: 20260501 },
  )
})

test('only check-ins after the cursor are pending, and two of one time count once', () => {
  const pending = readPending(['5-0|1000', '6-0|2000', '7-0|2000', '8-0|3000'])
  expect(countPending(pending, '0-0')).toBe(3)
  expect(countPending(pending, '5-0')).toBe(2)
  expect(countPending(pending, '6-0')).toBe(2)
  expect(countPending(pending, '8-0')).toBe(0)
  expect(lastReceivedMs(pending)).toBe(8)
  expect(lastReceivedMs([])).toBeNull()
})

test('invalid elements of the list are skipped', () => {
  expect(readPending(['', 'x', '5-0', '5-0|', '|5', '5-0|1.5', '5|5', '5-0|1000|2'])).toEqual([])
})
