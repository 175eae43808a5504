/** A phone number as responses show it. */

/** Five for any number: its length would narrow it down. */
const HIDDEN = '•••••'
const SHOWN_DIGITS = 3

const E164 = /^\+[1-9]\d{6,14}$/
const ONE_DIGIT_CODES = new Set(['1', '7'])
// ITU-T E.164 country codes of two digits; every other one but 1 and 7 has three.
const TWO_DIGIT_CODES = new Set(
  '20 27 30 31 32 33 34 36 39 40 41 43 44 45 46 47 48 49 51 52 53 54 55 56 57 58 60 61 62 63 64 65 66 81 82 84 86 90 91 92 93 94 95 98'.split(
    ' ',
  ),
)

/** `+886912345678` → `+886•••••678`; other text is masked entirely. */
export function maskPhone(e164: string): string {
  if (!E164.test(e164)) return HIDDEN
  return `+${countryCode(e164.slice(1))}${HIDDEN}${e164.slice(-SHOWN_DIGITS)}`
}

function countryCode(digits: string): string {
  if (ONE_DIGIT_CODES.has(digits.slice(0, 1))) return digits.slice(0, 1)
  return digits.slice(0, TWO_DIGIT_CODES.has(digits.slice(0, 2)) ? 2 : 3)
}

/** With + or 0 and seven digits or more, or nine in a row: no time and no short number. */
const PHONE_IN_TEXT = /(?:\+\d|(?<!\d)0\d)(?:[\s().-]{0,2}\d){5,}|\d{9,}/g

/** A text without phone numbers: of each the last three digits stay. */
export const withoutPhoneNumbers = (text: string): string =>
  text.replace(PHONE_IN_TEXT, (number) => HIDDEN + number.replace(/\D/g, '').slice(-SHOWN_DIGITS))
