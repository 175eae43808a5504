import { expect, test } from 'bun:test'
import { counted } from './counted.ts'
import { ME_TEXTS } from './me/texts.ts'

test('one has its own form, and every other number the second', () => {
  const { waiting, importStored } = ME_TEXTS.en
  expect([0, 1, 2].map((n) => counted(n, waiting))).toEqual([
    '0 points wait to be sent',
    '1 point waits to be sent',
    '2 points wait to be sent',
  ])
  expect(counted(1_234, importStored, { n: '1,234' })).toBe('1,234 points were added')
  expect(counted(1, ['a single form'])).toBe('a single form')
  expect(counted(2, ['a single form'])).toBe('a single form')
})
