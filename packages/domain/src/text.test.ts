import { expect, test } from 'bun:test'
import { Check } from 'typebox/value'
import { cleanText, fitsGraphemes, graphemes, hasForbiddenControl, PersonText } from './text'

const family = '👨‍👩‍👧‍👦'

test('text is trimmed, the ideographic space too at both ends', () => {
  expect(cleanText('  平安 \n順利\t\u3000')).toBe('平安 \n順利')
  expect(cleanText('\u00a0\n ')).toBe('')
})

test('control characters, DEL and half surrogate pairs are forbidden; line ends and tabs are not', () => {
  const controls = Array.from({ length: 32 }, (_, code) => code).filter((code) => code !== 9 && code !== 10)
  expect(controls.filter((code) => !hasForbiddenControl(`a${String.fromCharCode(code)}b`))).toEqual([])
  expect(['\u007f', 'a\ud800', '\udc00b', '\r', 'a\rb', 'a\r\nb'].map(hasForbiddenControl)).toEqual(
    Array(6).fill(true),
  )
  expect(['', 'a\nb\tc', '媽祖', family, '𠮷', '\u0080', 'é'].map(hasForbiddenControl)).toEqual(
    Array(7).fill(false),
  )
})

test('a character is what a reader sees', () => {
  expect([family, '🇹🇼', 'e\u0301', '𠮷', '媽祖', ''].map(graphemes)).toEqual([1, 1, 1, 1, 2, 0])
})

test('a limit in characters counts emoji as one, and does not let marks be stacked without end', () => {
  expect(fitsGraphemes(family.repeat(100), 100)).toBe(true)
  expect(fitsGraphemes(family.repeat(101), 100)).toBe(false)
  expect(fitsGraphemes(`a${'\u0301'.repeat(5000)}`, 100)).toBe(false)
})

test("the schema of a person's text keeps both of its bounds", () => {
  const schema = PersonText({ max: 3 })
  expect(['a', 'abc', family.repeat(3)].map((text) => Check(schema, text))).toEqual([true, true, true])
  expect(['', 'abcd', family.repeat(4), 3, null].map((text) => Check(schema, text))).toEqual(
    Array(5).fill(false),
  )
  expect(Check(PersonText({ min: 0, max: 3 }), '')).toBe(true)
})
