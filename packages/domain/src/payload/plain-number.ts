const PLUS = 0x2b
const MINUS = 0x2d
const ZERO = 0x30
const NINE = 0x39
/** Counted from zero, as digits are. */
const MINUS_SIGN = MINUS - ZERO
const POINT = 0x2e - ZERO
const LOWER_E = 0x65 - ZERO
const UPPER_E = 0x45 - ZERO

/**
 * A whole number below 2^53 divided by a power of ten up to 10^22 is the double nearest to the decimal (Clinger 1990), as
 * JSON.parse gives it.
 */
const DIGITS_EXACT = 15
const POWERS = Float64Array.from({ length: DIGITS_EXACT + 1 }, (_, digits) => 10 ** digits)

/** Where the number ended that was read last, and whether its value is to be read from its text. */
export const END = { at: 0, isText: false }

/** The number of JSON that begins at a place, NaN where there is none; behind the bytes stands one that belongs to no number. */
export function decimalAt(bytes: Uint8Array, start: number): number {
  END.isText = false
  let at = start
  let digit = (bytes[at] ?? 0) - ZERO
  const isNegative = digit === MINUS_SIGN
  if (isNegative) digit = (bytes[++at] ?? 0) - ZERO
  const first = at
  let mantissa = 0
  while (digit >= 0 && digit <= 9) {
    mantissa = mantissa * 10 + digit
    digit = (bytes[++at] ?? 0) - ZERO
  }
  let digits = at - first
  if (digits === 0 || (digits > 1 && bytes[first] === ZERO)) return Number.NaN
  if (digit === POINT) {
    const from = ++at
    digit = (bytes[at] ?? 0) - ZERO
    while (digit >= 0 && digit <= 9) {
      mantissa = mantissa * 10 + digit
      digit = (bytes[++at] ?? 0) - ZERO
    }
    const fraction = at - from
    if (fraction === 0) return Number.NaN
    digits += fraction
    mantissa /= POWERS[fraction] ?? 1
  }
  if (digits > DIGITS_EXACT) END.isText = true
  if (digit === LOWER_E || digit === UPPER_E) {
    const end = endOfExponent(bytes, at + 1)
    if (end < 0) return Number.NaN
    at = end
    END.isText = true
  }
  END.at = at
  return isNegative ? -mantissa : mantissa
}

function endOfExponent(bytes: Uint8Array, start: number): number {
  let at = start
  let code = bytes[at] ?? 0
  if (code === PLUS || code === MINUS) code = bytes[++at] ?? 0
  const from = at
  while (code >= ZERO && code <= NINE) code = bytes[++at] ?? 0
  return at > from ? at : -1
}
