import { expect, test } from 'bun:test'
import { plainName } from './display-name'

test('bidirectional controls are removed from names', () => {
  for (const code of [0x202a, 0x202b, 0x202c, 0x202d, 0x202e, 0x2066, 0x2067, 0x2068, 0x2069])
    expect(plainName(`${String.fromCodePoint(code)} 王小明 ${String.fromCodePoint(code)}`)).toBe('王小明')
})

test('names of every script and composed emoji are unchanged', () => {
  for (const name of ['林媽媽', 'محمد', 'שרה', '👩‍👩‍👧‍👦', 'é', 'Nguyễn Văn A', '𠮷野家'])
    expect(plainName(name)).toBe(name)
})
