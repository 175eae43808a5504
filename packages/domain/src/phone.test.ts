import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { withoutPhoneNumbers } from './phone'

test('of phone numbers in a text the last three digits stay; times, dates and short numbers stay whole', () => {
  const expected: Record<string, string> = {
    '電話 0912-345-678 請回': '電話 •••••678 請回',
    '+886 912 345 678': '•••••678',
    '(02) 2345-6789': '(•••••789',
    '886912345678': '•••••678',
    '2026-05-01 15:04, 03/24 09:05, 5 km, 第 12 站, 119':
      '2026-05-01 15:04, 03/24 09:05, 5 km, 第 12 站, 119',
  }
  for (const [text, kept] of Object.entries(expected)) expect(withoutPhoneNumbers(text)).toBe(kept)
})

test('no number of Taiwan survives, however it is written', () => {
  const separator = fc.constantFrom('', '-', ' ', '.', ') ')
  const digit = fc.integer({ min: 0, max: 9 })
  fc.assert(
    fc.property(
      fc.array(fc.tuple(separator, digit), { minLength: 7, maxLength: 7 }),
      fc.constantFrom('09', '+8869', '02'),
      (rest, begin) => {
        const kept = withoutPhoneNumbers(begin + rest.map(([gap, one]) => gap + one).join(''))
        expect(kept.replace(/\D/g, '').length).toBeLessThanOrEqual(3)
      },
    ),
    { seed: 20260501 },
  )
})
