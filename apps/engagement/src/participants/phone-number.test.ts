import { expect, test } from 'bun:test'
import { toE164 } from './phone-number'

test('a Taiwanese number is parsed in every usual form', () => {
  for (const typed of [
    '0912-345-678',
    '0912345678',
    '+886 912 345 678',
    '(0912) 345 678',
    '０９１２３４５６７８',
  ])
    expect(toE164(typed)).toBe('+886912345678')
  expect(toE164('02-2720-8889')).toBe('+886227208889')
})

test('a number of another country needs its plus sign', () => {
  expect(toE164('+81 90-1234-5678')).toBe('+819012345678')
  expect(toE164('+1 213 373 4253')).toBe('+12133734253')
})

test('an invalid number is null', () => {
  for (const typed of [
    '',
    '1',
    '12345',
    'abc',
    '+',
    '+886',
    '0912',
    '091234567890123',
    '+999123456789',
    'call 0912345678',
  ])
    expect(toE164(typed)).toBeNull()
})
