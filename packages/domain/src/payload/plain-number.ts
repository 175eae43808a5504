const PLUS = 0x2b
const MINUS = 0x2d
const DOT = 0x2e
const ZERO = 0x30
const NINE = 0x39
const LOWER_E = 0x65
const LOWER_CASE = 0x20

/**
 * A whole number below 2^53 divided by a power of ten up to 10^22 is the double nearest to the decimal (Clinger 1990), as
 * JSON.parse gives it.
 */
const DIGITS_EXACT = 15
/** So many make a whole number of 32 bits, which is faster than a double. */
const DIGITS_OF_32_BITS = 9
const POWERS = Float64Array.from({ length: DIGITS_OF_32_BITS + 1 }, (_, digits) => 10 ** digits)

/** Where the number ended that was read last, and whether its value is to be read from its text. */
export const END = { at: 0, isText: false }

/** The number of JSON that begins at a place, NaN where there is none; behind the bytes stands one that belongs to no number. */
export function decimalAt(bytes: Uint8Array, start: number): number {
  END.isText = false
  let at = start
  let code = bytes[at] ?? 0
  const isNegative = code === MINUS
  if (isNegative) code = bytes[++at] ?? 0
  const first = at
  let whole = 0
  while (code >= ZERO && code <= NINE && at - first < DIGITS_OF_32_BITS) {
    whole = (Math.imul(whole, 10) + (code - ZERO)) | 0
    code = bytes[++at] ?? 0
  }
  let mantissa: number = whole
  while (code >= ZERO && code <= NINE) {
    mantissa = mantissa * 10 + (code - ZERO)
    code = bytes[++at] ?? 0
  }
  let digits = at - first
  if (digits === 0 || (digits > 1 && bytes[first] === ZERO)) return Number.NaN
  if (code === DOT) {
    const from = ++at
    let fraction = 0
    code = bytes[at] ?? 0
    while (code >= ZERO && code <= NINE && at - from < DIGITS_OF_32_BITS) {
      fraction = (Math.imul(fraction, 10) + (code - ZERO)) | 0
      code = bytes[++at] ?? 0
    }
    const scale = POWERS[at - from] ?? Number.NaN
    mantissa = (mantissa * scale + fraction) / scale
    // Digits that were left: too many to be exact.
    if (code >= ZERO && code <= NINE) digits = DIGITS_EXACT
    while (code >= ZERO && code <= NINE) code = bytes[++at] ?? 0
    if (at === from) return Number.NaN
    digits += at - from
  }
  if ((code | LOWER_CASE) === LOWER_E) {
    const end = endOfExponent(bytes, at + 1)
    if (end < 0) return Number.NaN
    at = end
    END.isText = true
  }
  END.isText ||= digits > DIGITS_EXACT
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
