import { expect, test } from 'bun:test'
import { etagOf, matchesEtag } from './etag.ts'

test('other bytes have another tag, the same bytes the same', () => {
  expect(etagOf('a')).toBe(etagOf(new TextEncoder().encode('a')))
  expect(etagOf('a')).not.toBe(etagOf('b'))
  expect(etagOf('a')).toMatch(/^"[\w-]{27}"$/)
})

test.each([
  ['"a"', true],
  ['"b", "a"', true],
  ['W/"a"', true],
  ['*', true],
  ['"b"', false],
  ['a', false],
  ['', false],
  [null, false],
])('If-None-Match: %p names "a": %p', (given, matches) => {
  expect(matchesEtag(given, '"a"')).toBe(matches)
})
